import type { ToolResult, UserPart } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { COMMON_IMAGES, isAccepted, toBlock, toResultContent, type ContentFormat } from '../wire/content.ts';

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
  const items = parts.map((part) => toBlock(part, format));
  if (items.every((item) => item.type === 'text')) return items.map((item) => item.text).join('\n\n');
  return items;
}

const format: ContentFormat<OpenAiContent> = {
  text: (text) => ({ type: 'text', text }),
  image: (media) => {
    if (!isAccepted(media, COMMON_IMAGES)) return null;
    return { type: 'image_url', image_url: { url: 'url' in media ? media.url : dataUrl(media) } };
  },
  audio: (media, mimeType) => {
    const audioFormat = AUDIO_FORMATS[mimeType];
    if (audioFormat === undefined || 'url' in media) return null;
    return { type: 'input_audio', input_audio: { data: media.data, format: audioFormat } };
  },
  file: (media, mimeType, name) =>
    'url' in media || mimeType !== 'application/pdf'
      ? null
      : { type: 'file', file: { filename: scrub(name), file_data: dataUrl(media) } },
};

/** The formats of audio that OpenAI's APIs accept. */
export const AUDIO_FORMATS: Readonly<Record<string, string>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' };

/** Bytes as a `data:` URL. */
export function dataUrl({ mimeType, data }: { mimeType: string; data: string }): string {
  return `data:${mimeType};base64,${data}`;
}

/** The result of a tool. A tool message contains only text, so images are returned separately. */
export function toToolContent(result: ToolResult): { text: string; images: OpenAiContent[] } {
  return toResultContent(result, 'shown in a message below', format);
}
