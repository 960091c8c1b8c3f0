import type { AudioPart, FilePart, ImagePart, ToolResult, UserPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { resourceImage, resourceText, textFile, toResultContent, unavailable } from '../wire/content.ts';

/** One item of a content array. */
export type OpenAiContent =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

/**
 * The text and attachments of a user message. A plain string if there is only text: some servers do not accept arrays.
 */
export function toUserContent(parts: readonly UserPart[]): string | OpenAiContent[] {
  const items = parts.map(toContent);
  if (items.every((item) => item.type === 'text')) return items.map((item) => item.text).join('\n\n');
  return items;
}

function toContent(part: UserPart): OpenAiContent {
  switch (part.type) {
    case 'text':
      return text(scrub(part.text));
    case 'image':
      return imageContent(part) ?? text(unavailable(`image, ${part.mimeType}`));
    case 'audio':
      return audioContent(part);
    case 'file':
      return fileContent(part);
    case 'resource': {
      const image = resourceImage(part);
      return (image && imageContent(image)) ?? text(resourceText(part));
    }
    default:
      return text(unavailable(labelOf(part)));
  }
}

function text(value: string): OpenAiContent {
  return { type: 'text', text: value };
}

/** Null if the bytes were not loaded; the caller has to inline them before a request. */
function imageContent(part: ImagePart): OpenAiContent | null {
  if ('url' in part.source) return { type: 'image_url', image_url: { url: part.source.url } };
  if (!('data' in part.source)) return null;
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.source.data}` } };
}

function audioContent(part: AudioPart): OpenAiContent {
  const format = audioFormats[part.mimeType.toLowerCase()];
  if (format === undefined || !('data' in part.source)) return text(unavailable(`audio, ${part.mimeType}`));
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
  const fileText = textFile(name, part.mimeType, part.source);
  if (fileText !== null) return text(fileText);
  if (!('data' in part.source)) return text(unavailable(`file ${name}, ${part.mimeType}`));
  return { type: 'file', file: { filename: name, file_data: `data:${part.mimeType};base64,${part.source.data}` } };
}

/** The result of a tool. A tool message contains only text, so images are returned separately. */
export function toToolContent(result: ToolResult): { text: string; images: OpenAiContent[] } {
  const { text: words, images } = toResultContent(result, 'shown in a message below');
  return { text: words, images: images.map(imageContent).filter((image) => image !== null) };
}
