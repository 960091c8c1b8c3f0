import type { JsonValue, PresetTaskCall } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { ApiError } from '../api/error.ts';
import { t } from '../i18n/i18n.svelte.ts';
import type { PresetTaskChunk } from './fetch-preset-task-result.ts';
import { fetchPresetTaskResult } from './fetch-preset-task-result.ts';

const params = { task: 'translate', text: 'Hello', to: 'de' } as const;
const frame = (event: string, data: JsonValue) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Everything a task reports, in its order; the stream arrives in pieces of three bytes. */
async function run(
  frames: string | Error,
  { signal, finish, broken }: { signal?: AbortSignal; finish?: () => Promise<void>; broken?: boolean } = {},
): Promise<{ log: unknown[]; sent: PresetTaskCall[] }> {
  const log: unknown[] = [];
  const sent: PresetTaskCall[] = [];
  const bytes = new TextEncoder().encode(typeof frames === 'string' ? frames : '');
  await fetchPresetTaskResult(
    {
      params,
      trace: { id: 'trace-1' },
      ...(signal && { signal }),
      onLoadingChange: (isLoading) => log.push(isLoading ? 'loading' : 'idle'),
      onMessageHandle: ({ text }: PresetTaskChunk) => log.push(`text ${text}`),
      onFinish: async (value) => {
        log.push(`finish ${value}`);
        await finish?.();
      },
      onError: ({ code, message }) => log.push(`${code}: ${message}`),
    },
    (call) => {
      sent.push(call);
      if (frames instanceof Error) return Promise.reject(frames);
      let at = 0;
      return Promise.resolve(
        new ReadableStream({
          pull(controller) {
            if (at < bytes.length) return controller.enqueue(bytes.slice(at, (at += 3)));
            if (broken === true) controller.error(new TypeError('network'));
            else controller.close();
          },
        }),
      );
    },
  );
  return { log, sent };
}

test('reports pieces, the value, and that it is idle last', async () => {
  const result = frame('result', { task: 'translate', value: 'Größe' });
  const { log, sent } = await run(`: ping\n\n${frame('text', 'Grö')}${frame('text', 'ße')}${result}`);
  expect(log).toEqual(['loading', 'text Grö', 'text ße', 'finish Größe', 'idle']);
  expect(sent).toEqual([{ ...params, traceId: 'trace-1' }]);
});

test('only pieces of text count', async () => {
  const others = frame('usage', { inputTokens: 1 }) + frame('reasoning', 'hm') + frame('text', { text: 'x' });
  const { log } = await run(others + frame('result', { task: 'translate', value: 'Hallo' }));
  expect(log).toEqual(['loading', 'finish Hallo', 'idle']);
});

test('an error of the model or of the request is reported, and it is idle', async () => {
  const failed = frame('text', 'Ha') + frame('error', { code: 'invalid_key', message: 'The key is wrong.' });
  expect((await run(failed)).log).toEqual(['loading', 'text Ha', 'invalid_key: The key is wrong.', 'idle']);
  const off = new ApiError({ code: 'bad_request', status: 400, detail: 'The task is off.' });
  expect((await run(off)).log).toEqual(['loading', 'bad_request: The task is off.', 'idle']);
});

test.each([false, true])('a stream without a result is an error (connection broken: %j)', async (broken) => {
  const { log } = await run(frame('text', 'Ha'), { broken });
  expect(log).toEqual(['loading', 'text Ha', `stream_broken: ${t('errors.network')}`, 'idle']);
});

test('an error while the value is stored is reported', async () => {
  const full = new ApiError({ code: 'storage_full', status: 507, detail: 'The disk is full.' });
  const { log } = await run(frame('result', { task: 'translate', value: 'Hallo' }), {
    finish: () => Promise.reject(full),
  });
  expect(log).toEqual(['loading', 'finish Hallo', 'storage_full: The disk is full.', 'idle']);
});

test('an aborted task reports neither value nor error', async () => {
  const control = new AbortController();
  control.abort();
  const { log } = await run(frame('text', 'Ha') + frame('result', { task: 'translate', value: 'Hallo' }), {
    signal: control.signal,
  });
  expect(log).toEqual(['loading', 'idle']);
});
