import { expect, it } from 'vitest';
import type { ModelsView } from '@toolyard/protocol';
import { ModelsState } from './models.svelte.ts';

const live = { status: 'open' as const, onHello: () => () => undefined, onChanged: () => () => undefined };
const view = (...providers: string[]): ModelsView => ({
  models: providers.map((providerId) => ({ providerId, providerLabel: providerId, modelId: 'm' })),
  failures: [],
  defaultModel: null,
});

it('makes the server ask the providers again only on request, and knows when only the demo is available', async () => {
  const paths: string[] = [];
  const get = <T>(path: string): Promise<T> => {
    paths.push(path);
    return Promise.resolve(view(...(path.endsWith('?refresh=1') ? ['demo', 'new'] : ['demo'])) as T);
  };
  const models = new ModelsState({ api: { get }, live });
  expect(models.onlyDemo).toBe(false);
  await models.load();
  expect(models.onlyDemo).toBe(true);
  await models.load({ refresh: true });
  expect(models.onlyDemo).toBe(false);
  expect(models.find({ providerId: 'new', modelId: 'm' })).toBeDefined();
  expect(paths).toEqual(['/api/models', '/api/models?refresh=1']);
});
