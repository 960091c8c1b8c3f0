import {
  defined,
  isJsonObject,
  mediaTypeOf,
  ToolyardError,
  type ImagePart,
  type JsonObject,
  type JsonValue,
} from '@toolyard/protocol';
import type { CreatedImages } from '../types.ts';
import type { Abilities } from '../wire/dialect.ts';
import { decodeBase64, dataImage, getImageType, readMedia } from '../wire/media.ts';
import { scrub } from '../scrub.ts';
import { readObject } from '../wire/json-values.ts';

/** OpenAI's operations besides chat, the same for both chat APIs. */
export const openAiAbilities: Abilities = {
  embeddings({ model, input, dimensions }) {
    return {
      path: '/embeddings',
      body: JSON.stringify({
        model,
        input: input.map(scrub),
        encoding_format: 'float',
        ...defined({ dimensions }),
      }),
      read: (answer) => {
        const data = isJsonObject(answer) ? answer['data'] : null;
        if (!Array.isArray(data) || data.length !== input.length) return null;
        const vectors: number[][] = Array.from({ length: input.length }, () => []);
        for (const [index, item] of data.entries()) {
          if (!isJsonObject(item)) return null;
          const vector = item['embedding'];
          const at = typeof item['index'] === 'number' ? item['index'] : index;
          if (!isVector(vector) || vectors[at] === undefined) return null;
          vectors[at] = vector;
        }
        return vectors.some((vector) => vector.length === 0) ? null : { vectors, ...inputUsage(answer) };
      },
    };
  },

  createImage(request) {
    const { model, prompt, size, count, images = [] } = request;
    const fields = {
      model,
      prompt: scrub(prompt),
      ...defined({ size, n: count }),
    };
    const read = (answer: JsonValue): CreatedImages | null => {
      const data = isJsonObject(answer) ? answer['data'] : null;
      if (!Array.isArray(data)) return null;
      const images = data.map(readImage).filter((image) => image !== null);
      return images.length === 0 ? null : { images: images, ...inputUsage(answer) };
    };
    if (images.length === 0) return { path: '/images/generations', body: JSON.stringify(fields), read };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    images.forEach((image, at) => {
      form.append('image[]', toBlob(image), `image-${at}`);
    });
    return { path: '/images/edits', body: form, read };
  },

  textToSpeech(request) {
    const { model, text, voice = 'alloy', format = 'mp3', speed, instructions } = request;
    const body: JsonObject = {
      model,
      input: scrub(text),
      voice,
      response_format: format,
      ...defined({ speed, instructions }),
    };
    return {
      path: '/audio/speech',
      body: JSON.stringify(body),
      mimeType: `audio/${format === 'mp3' ? 'mpeg' : format}`,
    };
  },

  transcribe({ model, audio, language, prompt }) {
    const form = new FormData();
    const type = mediaTypeOf(String.fromCharCode(...audio.data.subarray(0, 64)), audio.mimeType) ?? audio.mimeType;
    // The server derives the audio format from the file name.
    const extension = extensions[type] ?? type.split('/')[1] ?? 'wav';
    form.append('file', new Blob([new Uint8Array(audio.data)], { type }), `audio.${extension}`);
    form.append('model', model);
    form.append('response_format', 'json');
    if (language !== undefined) form.append('language', language);
    if (prompt !== undefined) form.append('prompt', prompt);
    return {
      path: '/audio/transcriptions',
      body: form,
      read: (answer) => {
        const { text } = readObject(answer);
        return typeof text === 'string' ? { text } : null;
      },
    };
  },
};

function isVector(value: JsonValue | undefined): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number');
}

function inputUsage(answer: JsonValue): { usage?: { inputTokens: number } } {
  const usage = readObject(readObject(answer)['usage']);
  const tokens = usage['prompt_tokens'] ?? usage['input_tokens'];
  return typeof tokens === 'number' ? { usage: { inputTokens: tokens } } : {};
}

/** Throws ToolyardError if the bytes were not loaded; the caller has to inline them before a request. */
function toBlob({ source, mimeType }: ImagePart): Blob {
  const media = readMedia(source, mimeType);
  if ('data' in media) return new Blob([decodeBase64(media.data)], { type: media.mimeType });
  throw new ToolyardError({
    code: 'bad_request',
    message: `The image to edit cannot be sent: ${'problem' in media ? media.problem : 'it is given only by its URL'}.`,
    hint: 'Attach the image itself.',
  });
}

function readImage(item: JsonValue): ImagePart | null {
  if (!isJsonObject(item)) return null;
  const inPlace = item['b64_json'];
  if (typeof inPlace === 'string') return { type: 'image', mimeType: getImageType(inPlace), source: { data: inPlace } };
  return typeof item['url'] === 'string' ? dataImage(item['url']) : null;
}

const extensions: Record<string, string> = { 'audio/mpeg': 'mp3', 'audio/mp4': 'm4a', 'audio/opus': 'ogg' };
