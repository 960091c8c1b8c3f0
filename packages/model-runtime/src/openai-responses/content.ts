import type { JsonObject, ToolResult, UserPart } from '@toolyard/protocol';
import { AUDIO_FORMATS, dataUrl } from '../openai-chat/content.ts';
import { scrub } from '../scrub.ts';
import { renderTextResponse } from '../tool-call-text/describe.ts';
import { COMMON_IMAGES, isAccepted, toBlock, toResultContent, type ContentFormat } from '../wire/content.ts';

/** The text and attachments of a user message as JSON of one item. */
export function userItem(parts: readonly UserPart[]): string {
  return JSON.stringify({ type: 'message', role: 'user', content: parts.map((part) => toBlock(part, format)) });
}

const format: ContentFormat<JsonObject> = {
  text: inputText,
  image: (media) => {
    if (!isAccepted(media, COMMON_IMAGES)) return null;
    return { type: 'input_image', image_url: 'url' in media ? media.url : dataUrl(media), detail: 'auto' };
  },
  audio: (media, mimeType) => {
    const audioFormat = AUDIO_FORMATS[mimeType];
    if (audioFormat === undefined || 'url' in media) return null;
    return { type: 'input_audio', input_audio: { data: media.data, format: audioFormat } };
  },
  file: (media, mimeType, name) => {
    if ('url' in media) return isAccepted(media, NO_TYPES) ? { type: 'input_file', file_url: media.url } : null;
    return FILES.test(mimeType) ? { type: 'input_file', filename: scrub(name), file_data: dataUrl(media) } : null;
  },
};

const NO_TYPES: ReadonlySet<string> = new Set();
/** Types of files that the API accepts; text is sent as text. */
const FILES =
  /^application\/(?:pdf|rtf|msword|vnd\.(?:ms-(?:excel|powerpoint)|openxmlformats-officedocument\..*|oasis\.opendocument\..*))$/;

function inputText(text: string): JsonObject {
  return { type: 'input_text', text };
}

/** A tool result as JSON of one item, images included. */
export function resultItem(callId: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below', format);
  const output = images.length === 0 ? text : [inputText(text), ...images];
  return JSON.stringify({ type: 'function_call_output', call_id: callId, output });
}

/** A result as a user message: text between tags, followed by its images. */
export function textToolResult(name: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below', format);
  const content = [inputText(renderTextResponse(name, text)), ...images];
  return JSON.stringify({ type: 'message', role: 'user', content });
}
