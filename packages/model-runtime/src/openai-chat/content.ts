import type { AudioPart, FilePart, ImagePart, ResourcePart, ToolResult, UserPart } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';

/** One item of a content array. */
export type OpenAiContent =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

/** What a person wrote and attached. A plain string where it is only text: not every server reads arrays. */
export function toUserContent(parts: readonly UserPart[]): string | OpenAiContent[] {
  const items = parts.map(toContent);
  if (items.every((item) => item.type === 'text')) return items.map((item) => item.text).join('\n\n');
  return items;
}

function toContent(part: UserPart): OpenAiContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: scrub(part.text) };
    case 'image':
      return imageContent(part) ?? unavailable(`image, ${part.mimeType}`);
    case 'audio':
      return audioContent(part);
    case 'file':
      return fileContent(part);
    case 'resource':
      return resourceImage(part) ?? { type: 'text', text: resourceText(part) };
  }
}

/** Null where the bytes are elsewhere: who sends a request puts them in place first. */
function imageContent(part: ImagePart): OpenAiContent | null {
  if ('url' in part.source) return { type: 'image_url', image_url: { url: part.source.url } };
  if (!('data' in part.source)) return null;
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.source.data}` } };
}

function audioContent(part: AudioPart): OpenAiContent {
  const format = audioFormats[part.mimeType.toLowerCase()];
  if (format === undefined || !('data' in part.source)) return unavailable(`audio, ${part.mimeType}`);
  return { type: 'input_audio', input_audio: { data: part.source.data, format } };
}

const audioFormats: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

function fileContent(part: FilePart): OpenAiContent {
  const name = part.name ?? 'file';
  if (!('data' in part.source)) return unavailable(`file ${name}, ${part.mimeType}`);
  if (isTextType(part.mimeType)) {
    return { type: 'text', text: labelled(`File ${name}`, decodeText(part.source.data)) };
  }
  return { type: 'file', file: { filename: name, file_data: `data:${part.mimeType};base64,${part.source.data}` } };
}

function resourceImage(part: ResourcePart): OpenAiContent | null {
  if (part.source === undefined || part.mimeType?.startsWith('image/') !== true) return null;
  return imageContent({ type: 'image', mimeType: part.mimeType, source: part.source });
}

/** A resource as a model reads it: what it is and where it comes from, then what is in it. */
function resourceText(part: ResourcePart): string {
  const name = part.title ?? part.name;
  const label = `Resource ${part.uri}${name === undefined ? '' : ` (${name})`}`;
  if (part.text !== undefined) return labelled(label, part.text);
  if (part.source !== undefined && 'data' in part.source && isTextType(part.mimeType ?? '')) {
    return labelled(label, decodeText(part.source.data));
  }
  const kind = part.source === undefined ? 'link' : `content not shown, ${part.mimeType ?? 'unknown type'}`;
  return scrub(`[${label}: ${kind}${part.description === undefined ? '' : `; ${part.description}`}]`);
}

function labelled(label: string, text: string): string {
  return scrub(`${label}:\n${text}`);
}

function unavailable(what: string): OpenAiContent {
  return { type: 'text', text: `[${what}: cannot be sent to this model]` };
}

function isTextType(mimeType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|javascript)\b/i.test(mimeType);
}

function decodeText(base64: string): string {
  try {
    const binary = atob(base64);
    return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    return '[not readable as text]';
  }
}

/** A tool's answer: a tool message holds text only, so its images travel apart. */
export type ResultContent = { text: string; images: OpenAiContent[] };

/** Everything a tool handed back, as text and images. */
export function toResultContent(result: ToolResult): ResultContent {
  const texts: string[] = [];
  const images: OpenAiContent[] = [];
  for (const part of result.content) {
    switch (part.type) {
      case 'text':
        texts.push(scrub(part.text));
        break;
      case 'image': {
        const image = imageContent(part);
        if (image !== null) images.push(image);
        texts.push(image === null ? `[image, ${part.mimeType}: not available]` : '[image: shown in a message below]');
        break;
      }
      case 'audio':
        texts.push(`[audio, ${part.mimeType}: not shown to the model]`);
        break;
      case 'resource': {
        const image = resourceImage(part);
        if (image !== null) images.push(image);
        texts.push(image === null ? resourceText(part) : scrub(`[image ${part.uri}: shown in a message below]`));
        break;
      }
    }
  }
  const hasText = result.content.some((part) => part.type === 'text' || part.type === 'resource');
  if (!hasText && result.structured !== undefined) texts.push(scrub(JSON.stringify(result.structured)));
  const text = texts.filter((piece) => piece !== '').join('\n') || '(no output)';
  return { text: result.isError && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text, images };
}
