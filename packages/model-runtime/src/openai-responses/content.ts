import type { JsonObject, ImagePart, ToolResult, UserPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { isReachable, resourceImage, resourceText, textFile, toResultContent, unavailable } from '../wire/content.ts';

/** The text and attachments of a user message as JSON of one item. */
export function userItem(parts: readonly UserPart[]): string {
  return JSON.stringify({ type: 'message', role: 'user', content: parts.map(toContent) });
}

function toContent(part: UserPart): JsonObject {
  switch (part.type) {
    case 'text':
      return inputText(scrub(part.text));
    case 'image':
      return inputImage(part);
    case 'audio': {
      const format = audioFormats[part.mimeType.toLowerCase()];
      if (format === undefined || !('data' in part.source)) return inputText(unavailable(`audio, ${part.mimeType}`));
      return { type: 'input_audio', input_audio: { data: part.source.data, format } };
    }
    case 'file': {
      const { name = 'file', mimeType, source } = part;
      const fileText = textFile(name, mimeType, source);
      if (fileText !== null) return inputText(fileText);
      if ('url' in source) return { type: 'input_file', file_url: source.url };
      if (!('data' in source)) return inputText(unavailable(`file ${name}, ${mimeType}`));
      return { type: 'input_file', filename: scrub(name), file_data: `data:${mimeType};base64,${source.data}` };
    }
    case 'resource': {
      const image = resourceImage(part);
      return image !== null && isReachable(image.source) ? inputImage(image) : inputText(resourceText(part));
    }
    default:
      return inputText(unavailable(labelOf(part)));
  }
}

const audioFormats: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

function inputText(text: string): JsonObject {
  return { type: 'input_text', text };
}

function inputImage({ source, mimeType }: ImagePart): JsonObject {
  if (!isReachable(source)) return inputText(unavailable(`image, ${mimeType}`));
  const url = 'url' in source ? source.url : `data:${mimeType};base64,${'data' in source ? source.data : ''}`;
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

/** A tool result as JSON of one item, images included. */
export function resultItem(callId: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below');
  const output = images.length === 0 ? text : [inputText(text), ...images.map(inputImage)];
  return JSON.stringify({ type: 'function_call_output', call_id: callId, output });
}

/** A result as a user message: text between tags, followed by its images. */
export function textToolResult(text: string, result: ToolResult): string {
  const { images } = toResultContent(result, 'shown below');
  return JSON.stringify({ type: 'message', role: 'user', content: [inputText(text), ...images.map(inputImage)] });
}
