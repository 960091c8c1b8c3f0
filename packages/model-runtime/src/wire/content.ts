import type { ImagePart, MediaSource, ResourcePart, ToolResult } from '@toolyard/protocol';
import { labelOf, textOfSource } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';

/** A resource as text for a model: name and URI, then the content. */
export function resourceText(part: ResourcePart): string {
  const name = part.title ?? part.name;
  const label = `Resource ${part.uri}${name === undefined ? '' : ` (${name})`}`;
  if (part.text !== undefined) return labelled(label, part.text);
  const decoded = part.source === undefined ? null : textOfSource(part.source, part.mimeType ?? '');
  if (decoded !== null) return labelled(label, decoded);
  const kind = part.source === undefined ? 'link' : `content not shown, ${part.mimeType ?? 'unknown type'}`;
  return scrub(`[${label}: ${kind}${part.description === undefined ? '' : `; ${part.description}`}]`);
}

/** A resource that is an image, as an image part; null for any other. */
export function resourceImage(part: ResourcePart): ImagePart | null {
  if (part.source === undefined || part.mimeType?.startsWith('image/') !== true) return null;
  return { type: 'image', mimeType: part.mimeType, source: part.source };
}

/** A text file as text for a model; null if it is not a text file, or its bytes were not loaded. */
export function textFile(name: string, mimeType: string, source: MediaSource): string | null {
  const text = textOfSource(source, mimeType);
  return text === null ? null : labelled(`File ${name}`, text);
}

/** The placeholder for content that a model cannot receive. */
export function unavailable(label: string): string {
  return `[${label}: cannot be sent to this model]`;
}

/** True for an image with bytes or a URL that can be sent; the caller has to inline stored files before. */
export function isReachable(source: MediaSource): boolean {
  return 'url' in source || 'data' in source;
}

function labelled(label: string, text: string): string {
  return scrub(`${label}:\n${text}`);
}

/** A tool result as text for a model; images are separate, because each wire places them differently. */
export type ResultContent = { text: string; images: ImagePart[] };

/** Converts a tool result to text and images. `where` tells the model where an image is. */
export function toResultContent(result: ToolResult, where: string): ResultContent {
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const part of result.content) {
    switch (part.type) {
      case 'text':
        texts.push(scrub(part.text));
        break;
      case 'image':
        if (isReachable(part.source)) images.push(part);
        texts.push(isReachable(part.source) ? `[image: ${where}]` : `[image, ${part.mimeType}: not available]`);
        break;
      case 'resource': {
        const image = resourceImage(part);
        const isShown = image !== null && isReachable(image.source);
        if (isShown) images.push(image);
        texts.push(isShown ? scrub(`[image ${part.uri}: ${where}]`) : resourceText(part));
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
