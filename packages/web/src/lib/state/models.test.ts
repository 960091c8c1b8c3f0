import { expect, it } from 'vitest';
import type { ModelsView } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import type { Change, Hello } from './live.svelte.ts';
import { ModelsState } from './models.svelte.ts';

const model = (providerId: string) => ({ providerId, providerLabel: providerId, modelId: 'm' });
const view = (...providers: string[]): ModelsView => ({ models: providers.map(model), failures: [], standard: null });

/** A server whose answers the test gives one by one, and a stream it speaks through. */
function world(status: 'open' | 'connecting' = 'connecting') {
  const asked: { path: string; answer: (value: ModelsView | ApiError) => void }[] = [];
  let hello = (_: Hello): void => undefined;
  let changed = (_: Change): void => undefined;
  const models = new ModelsState({
    api: {
      get: <T>(path: string) =>
        new Promise<T>((resolve, reject) => {
          asked.push({ path, answer: (value) => (value instanceof ApiError ? reject(value) : resolve(value as T)) });
        }),
    },
    live: {
      status,
      onHello: (listener) => {
        hello = listener;
        return () => undefined;
      },
      onChanged: (listener) => {
        changed = listener;
        return () => undefined;
      },
    },
  });
  const sayHello = () => hello({ type: 'hello', boot: 'b', version: '1' });
  return { models, asked, sayHello, sayChanged: (what: Change['what']) => changed({ type: 'changed', what }) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('asks once however often it is watched, and again when a provider changes or the connection was lost', async () => {
  const { models, asked, sayHello, sayChanged } = world('open');
  models.watch();
  models.watch();
  expect(asked.map(({ path }) => path)).toEqual(['/api/models']);
  sayChanged('queue');
  expect(asked).toHaveLength(1);
  sayChanged('providers');
  sayHello();
  expect(asked).toHaveLength(3);
});

it('waits for the first word of the stream where there is none yet', () => {
  const { models, asked, sayHello } = world('connecting');
  models.watch();
  expect(asked).toHaveLength(0);
  sayHello();
  expect(asked).toHaveLength(1);
});

it('shows the newest answer, in whatever order they come', async () => {
  const { models, asked } = world();
  void models.load();
  void models.load({ refresh: true });
  asked[1]?.answer(view('demo', 'new'));
  await settled();
  asked[0]?.answer(view('demo'));
  await settled();
  expect(asked[1]?.path).toBe('/api/models?refresh=1');
  expect(models.find({ providerId: 'new', modelId: 'm' })).toBeDefined();
  expect(models.loading).toBe(false);
});

it('keeps what it knew when the server cannot be asked, says why, and takes that back afterwards', async () => {
  const { models, asked } = world();
  void models.load();
  asked[0]?.answer(view('demo'));
  await settled();
  void models.load();
  asked[1]?.answer(new ApiError({ code: 'network', status: 0, detail: 'Not reachable.' }));
  await settled();
  expect(models.error?.message).toBe('Not reachable.');
  expect(models.onlyDemo).toBe(true);
  void models.load();
  asked[2]?.answer(view('demo', 'real'));
  await settled();
  expect(models.error).toBeNull();
  expect(models.onlyDemo).toBe(false);
});
