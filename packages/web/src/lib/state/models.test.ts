import { expect, it } from 'vitest';
import type { ModelsView } from '@toolyard/protocol';
import { createTestApi } from '../api/test-fixtures/test-api.ts';
import { ModelsState } from './models.svelte.ts';

const live = { status: 'open' as const, onHello: () => () => undefined, onChanged: () => () => undefined };
const view = (...providers: string[]): ModelsView => ({
  models: providers.map((providerId) => ({ providerId, providerLabel: providerId, modelId: 'm' })),
  failures: [],
  defaultModel: null,
});

it('makes the server query the providers again only on request, and detects that only the demo is available', async () => {
  const paths: string[] = [];
  const api = createTestApi(({ path }) => {
    paths.push(path);
    return view(...(path.includes('?refresh=') ? ['demo', 'new'] : ['demo']));
  });
  const models = new ModelsState({ api, live });
  expect(models.onlyDemo).toBe(false);
  await models.load();
  expect(models.onlyDemo).toBe(true);
  await models.load({ refresh: true });
  expect(models.onlyDemo).toBe(false);
  expect(models.find({ providerId: 'new', modelId: 'm' })).toBeDefined();
  expect(paths).toEqual(['/api/models', '/api/models?refresh=true']);
});
