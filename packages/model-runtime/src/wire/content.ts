import { labelOf, textOfSource, type ResourcePart, type ToolResult, type UserPart } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { readMedia, type Media } from './media.ts';

/** Media that can be sent. */
export type SentMedia = Exclude<Media, { problem: string }>;

/**
 * How an API writes content. Null: the API has no form for it, and a text takes its place. `mimeType`: of the bytes or,
 * for a URL, of its label.
 */
export type ContentFormat<Block> = {
  text: (text: string) => Block;
  image: (media: SentMedia, mimeType: string) => Block | null;
  audio: (media: SentMedia, mimeType: string) => Block | null;
  file: (media: SentMedia, mimeType: string, name: string) => Block | null;
};

/** The image types that all APIs but Gemini's accept. */
export const COMMON_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** True for a web URL, and for bytes of one of `types`. */
export function isAccepted(media: SentMedia, types: ReadonlySet<string>): boolean {
  return 'url' in media ? /^https?:/i.test(media.url) : types.has(media.mimeType);
}

/**
 * A part of a user message. Rule: content that a provider would reject is replaced by a text, because it stays in the
 * conversation, and every later request would fail.
 */
export function toBlock<Block>(part: UserPart, format: ContentFormat<Block>): Block {
  switch (part.type) {
    case 'text':
      return format.text(scrub(part.text));
    case 'image':
    case 'audio':
    case 'file': {
      const label = part.type === 'file' ? `file ${part.name ?? 'file'}, ${part.mimeType}` : labelOf(part);
      return mediaBlock(part, readMedia(part.source, part.mimeType), label, format);
    }
    case 'resource':
      return resourceImage(part, format) ?? format.text(resourceText(part));
    default:
      return format.text(unavailable(labelOf(part)));
  }
}

type MediaLike = Pick<Extract<UserPart, { type: 'file' }>, 'mimeType' | 'name'> & { type: 'image' | 'audio' | 'file' };

function mediaBlock<Block>(part: MediaLike, media: Media, label: string, format: ContentFormat<Block>): Block {
  if ('problem' in media) return format.text(unavailable(label, media.problem));
  const { name = part.type } = part;
  const mimeType = 'url' in media ? part.mimeType.toLowerCase() : media.mimeType;
  const text = part.type === 'file' ? textIn(media, part.mimeType) : sourceText(media);
  if (text !== null) return format.text(labelled(`${KINDS[part.type]} ${name}`, text));
  // A file with the bytes of an image is one; a URL is what it claims to be.
  const kind = 'url' in media && part.type !== 'file' ? part.type : mimeType.split('/')[0];
  const block =
    kind === 'image'
      ? format.image(media, mimeType)
      : kind === 'audio'
        ? format.audio(media, mimeType)
        : format.file(media, mimeType, name);
  return block ?? format.text(unavailable(label));
}

const KINDS = { image: 'Image', audio: 'Audio', file: 'File' } as const;

/**
 * The text of media that are text: an SVG image, which no provider accepts as an image, or a page with an error; null
 * for any other, and a very long one.
 */
function sourceText(media: SentMedia): string | null {
  return 'data' in media && media.data.length <= MAX_SOURCE ? textIn(media, media.mimeType) : null;
}

/** In characters of base64: about 15,000 tokens. */
const MAX_SOURCE = 60_000;

/** The text of a text file. `label` may say its encoding. */
function textIn(media: SentMedia, label: string): string | null {
  return 'url' in media ? null : textOfSource({ data: media.data }, label);
}

/** A resource as text for a model: name and URI, then the content. */
function resourceText(part: ResourcePart): string {
  const name = part.title ?? part.name;
  const label = `Resource ${part.uri}${name === undefined ? '' : ` (${name})`}`;
  if (part.text !== undefined) return labelled(label, part.text);
  const media = part.source === undefined ? null : readMedia(part.source, part.mimeType ?? '');
  const decoded = media === null || 'problem' in media ? null : textIn(media, part.mimeType ?? '');
  if (decoded !== null) return labelled(label, decoded);
  const kind = part.source === undefined ? 'link' : `content not shown, ${part.mimeType ?? 'unknown type'}`;
  return scrub(`[${label}: ${kind}${part.description === undefined ? '' : `; ${part.description}`}]`);
}

/** A resource that is an image; null for any other. */
function resourceImage<Block>({ source, mimeType = '' }: ResourcePart, format: ContentFormat<Block>): Block | null {
  if (source === undefined) return null;
  const media = readMedia(source, mimeType);
  if ('problem' in media) return null;
  const type = 'url' in media ? mimeType.toLowerCase() : media.mimeType;
  return type.startsWith('image/') ? format.image(media, type) : null;
}

/** The placeholder for content that a model cannot receive. */
function unavailable(label: string, problem?: string): string {
  return scrub(`[${label}: cannot be sent to this model${problem === undefined ? '' : `, ${problem}`}]`);
}

function labelled(label: string, text: string): string {
  return scrub(`${label}:\n${text}`);
}

/** A tool result as text for a model; images are separate, because each wire places them differently. */
export type ResultContent<Block> = { text: string; images: Block[] };

/** Converts a tool result to text and images. `where` tells the model where an image is. */
export function toResultContent<Block>(
  result: ToolResult,
  where: string,
  format: ContentFormat<Block>,
): ResultContent<Block> {
  const texts: string[] = [];
  const images: Block[] = [];
  for (const part of result.content) {
    switch (part.type) {
      case 'text':
        texts.push(scrub(part.text));
        break;
      case 'image': {
        const media = readMedia(part.source, part.mimeType);
        const text = 'problem' in media ? null : sourceText(media);
        const image = 'problem' in media || text !== null ? null : format.image(media, part.mimeType);
        if (image !== null) images.push(image);
        if (image !== null) texts.push(`[image: ${where}]`);
        else if (text !== null) texts.push(labelled('Image', text));
        else
          texts.push(
            scrub(`[image, ${part.mimeType}: ${'problem' in media ? media.problem : 'not shown to the model'}]`),
          );
        break;
      }
      case 'resource': {
        const image = resourceImage(part, format);
        if (image !== null) images.push(image);
        texts.push(image === null ? resourceText(part) : scrub(`[image ${part.uri}: ${where}]`));
        break;
      }
      default:
        texts.push(scrub(`[${labelOf(part)}: not shown to the model]`));
    }
  }
  const hasText = result.content.some((part) => part.type === 'text' || part.type === 'resource');
  if (!hasText && result.structured !== undefined) texts.push(scrub(JSON.stringify(result.structured)));
  const text = texts.filter((piece) => piece !== '').join('\n') || '(no output)';
  return { text: result.isError && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text, images };
}
