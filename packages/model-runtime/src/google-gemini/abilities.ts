import { base64Of, defined, type ImagePart, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import type { CreatedImages, ImageRequest } from '../types.ts';
import type { Abilities, Exchange, Outgoing } from '../wire/dialect.ts';
import { decodeBase64 } from '../wire/media.ts';
import { imagePart } from './content.ts';
import { modelPath } from './request.ts';
import { readObject, readObjects } from '../wire/json-values.ts';

/** The API's operations besides chat. Images and speech are chat answers of models made for them. */
export const geminiAbilities: Abilities = {
  embeddings({ model, input, dimensions }) {
    const requests = input.map((text) => ({
      model: model.startsWith('models/') ? model : `models/${model}`,
      content: { parts: [{ text: scrub(text) }] },
      ...defined({ outputDimensionality: dimensions }),
    }));
    return {
      path: modelPath(model, 'batchEmbedContents'),
      body: JSON.stringify({ requests }),
      read: (answer) => {
        const { embeddings: list } = readObject(answer);
        if (!Array.isArray(list) || list.length !== input.length) return null;
        const vectors = list.map((item) => readObject(item)['values']);
        return vectors.every(isVector) ? { vectors } : null;
      },
    };
  },

  createImage(request) {
    return /^(models\/)?imagen/.test(request.model) ? predictImage(request) : drawImage(request);
  },

  textToSpeech(request) {
    const { model, text, voice = 'Kore', instructions } = request;
    const prompt = scrub(instructions === undefined ? text : `${instructions}:\n${text}`);
    return {
      ...generate(model, [{ text: prompt }], {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      }),
      mimeType: 'audio/wav',
      read: (answer) => {
        const sound = mediaIn(answer).find(({ mimeType }) => mimeType.startsWith('audio/'));
        if (sound === undefined) return null;
        const data = decodeBase64(sound.data);
        const rate = /rate=(\d+)/.exec(sound.mimeType)?.[1];
        return /L16|pcm/i.test(sound.mimeType)
          ? { mimeType: 'audio/wav', data: toWave(data, Number(rate ?? 24_000)) }
          : { mimeType: sound.mimeType, data };
      },
    };
  },

  transcribe({ model, audio, language, prompt }) {
    const task = [
      'Transcribe this recording word for word. Output only the transcript.',
      ...(language === undefined ? [] : [`The language is "${language}".`]),
      ...(prompt === undefined ? [] : [scrub(prompt)]),
    ].join(' ');
    const sound = { inlineData: { mimeType: audio.mimeType, data: base64Of(audio.data) } };
    return {
      ...generate(model, [sound, { text: task }], {}),
      read: (answer) => {
        const texts = partsIn(answer).flatMap((part) =>
          typeof part['text'] === 'string' && part['thought'] !== true ? [part['text']] : [],
        );
        return texts.length === 0 ? null : { text: texts.join('').trim() };
      },
    };
  },
};

function isVector(value: JsonValue | undefined): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number');
}

function predictImage({ model, prompt, size, count }: ImageRequest): Exchange<CreatedImages> {
  const ratio = aspectRatio(size);
  const parameters = { sampleCount: count ?? 1, ...(ratio === null ? {} : { aspectRatio: ratio }) };
  return {
    path: modelPath(model, 'predict'),
    body: JSON.stringify({ instances: [{ prompt: scrub(prompt) }], parameters }),
    read: (answer) => {
      const images = readObjects(readObject(answer)['predictions']).flatMap((item): ImagePart[] => {
        const { bytesBase64Encoded: data, mimeType: type } = item;
        const mimeType = typeof type === 'string' ? type : 'image/png';
        return typeof data === 'string' ? [{ type: 'image', mimeType, source: { data } }] : [];
      });
      return images.length === 0 ? null : { images };
    },
  };
}

function drawImage({ model, prompt, size, images = [] }: ImageRequest): Exchange<CreatedImages> {
  const ratio = aspectRatio(size);
  const imageParts = images.map(({ mimeType, source }) => imagePart(mimeType, source)).filter((part) => part !== null);
  return {
    ...generate(model, [...imageParts, { text: scrub(prompt) }], {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(ratio === null ? {} : { imageConfig: { aspectRatio: ratio } }),
    }),
    read: (answer) => {
      const images = mediaIn(answer)
        .filter(({ mimeType }) => mimeType.startsWith('image/'))
        .map(({ mimeType, data }): ImagePart => ({ type: 'image', mimeType, source: { data } }));
      return images.length === 0 ? null : { images: images };
    },
  };
}

/** The API takes aspect ratios instead of sizes: `1024x1536` becomes 2:3. */
function aspectRatio(size: string | undefined): string | null {
  const [, width, height] = /^(\d+)[x:](\d+)$/.exec(size ?? '') ?? [];
  if (width === undefined || height === undefined) return null;
  const [w, h] = [Number(width), Number(height)];
  const shared = commonDivisor(w, h);
  return shared === 0 ? null : `${w / shared}:${h / shared}`;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Wraps raw PCM samples (16 bits, mono) in a WAV file. */
function toWave(samples: Uint8Array, rate: number): Uint8Array {
  const file = new Uint8Array(44 + samples.length);
  const view = new DataView(file.buffer);
  const put = (at: number, text: string): void => file.set(new TextEncoder().encode(text), at);
  put(0, 'RIFF');
  view.setUint32(4, 36 + samples.length, true);
  put(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  put(36, 'data');
  view.setUint32(40, samples.length, true);
  file.set(samples, 44);
  return file;
}

function generate(model: string, parts: readonly JsonObject[], generationConfig: JsonObject): Outgoing {
  const body = { contents: [{ role: 'user', parts }], generationConfig };
  return { path: modelPath(model, 'generateContent'), body: JSON.stringify(body) };
}

function partsIn(answer: JsonValue): JsonObject[] {
  const { candidates } = readObject(answer);
  const first = readObject(Array.isArray(candidates) ? candidates[0] : null);
  return readObjects(readObject(first['content'])['parts']);
}

function mediaIn(answer: JsonValue): { mimeType: string; data: string }[] {
  return partsIn(answer).flatMap((part) => {
    const { mimeType, data } = readObject(part['inlineData']);
    const isMedia = typeof mimeType === 'string' && typeof data === 'string' && part['thought'] !== true;
    return isMedia ? [{ mimeType, data }] : [];
  });
}
