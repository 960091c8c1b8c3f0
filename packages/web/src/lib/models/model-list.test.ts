import { expect, it } from 'vitest';
import {
  formatWindow,
  groupModels,
  modelName,
  hasOnlyDemo,
  loadingFailure,
  readFavourites,
  withToggled,
} from './model-list.ts';

const model = (providerId: string, modelId: string) => ({
  providerId,
  providerLabel: providerId.toUpperCase(),
  modelId,
});
const models = [model('demo', 'demo'), model('ollama', 'qwen3:4b'), model('ollama', 'llama3.2')];

it('groups by provider, the demo last, and matches any words including the provider', () => {
  expect(groupModels({ models }, '').map((group) => [group.label, group.models.length])).toEqual([
    ['OLLAMA', 2],
    ['DEMO', 1],
  ]);
  expect(groupModels({ models }, 'Qwen olla').flatMap((group) => group.models.map((one) => one.modelId))).toEqual([
    'qwen3:4b',
  ]);
  expect(groupModels({ models }, 'nothing')).toEqual([]);
});

it('shows the file name of a model file, and names with an owner in full', () => {
  expect(modelName('/home/someone/models/Qwen3-4B-Q4_K_M.gguf')).toBe('Qwen3-4B-Q4_K_M');
  expect(modelName('C:\\models\\a.gguf')).toBe('a');
  expect(modelName('openai/gpt-oss-20b')).toBe('openai/gpt-oss-20b');
});

it('detects that only the demo is available', () => {
  expect(hasOnlyDemo({ models: models.slice(0, 1), failures: [], defaultModel: null })).toBe(true);
  expect(hasOnlyDemo({ models, failures: [], defaultModel: null })).toBe(false);
  // A server that is loading its model is more than the demo.
  const loading = { providerId: 'local-9931', modelId: 'default' };
  const failure = {
    providerId: 'local-9931',
    providerLabel: 'llama.cpp',
    error: { code: 'overloaded', message: 'llama.cpp on port 9931 is loading its model.' },
  } as const;
  const view = { models: models.slice(0, 1), failures: [failure], defaultModel: loading };
  expect(hasOnlyDemo(view)).toBe(false);
  expect(loadingFailure(view, loading)).toBe(failure);
  expect(loadingFailure({ ...view, models: [...models, { ...loading, providerLabel: 'llama.cpp' }] }, loading)).toBe(
    undefined,
  );
});

it('shortens the size of a context window', () => {
  expect([8192, 131_072, 128_000, 200_000, 1_000_000].map(formatWindow)).toEqual(['8k', '128k', '128k', '200k', '1M']);
});

it('lists favourites first, of any provider, and each model once', () => {
  const groups = groupModels({ models }, '', (one) => one.modelId === 'llama3.2');
  expect(groups.map(({ providerId, models: of }) => [providerId, of.map(({ modelId }) => modelId)])).toEqual([
    [null, ['llama3.2']],
    ['ollama', ['qwen3:4b']],
    ['demo', ['demo']],
  ]);
});

it('stores favourites as references, and reads only valid ones', () => {
  const one = { providerId: 'a', modelId: 'b' };
  const two = { providerId: 'a', modelId: 'c' };
  expect(withToggled([], { ...one, providerLabel: 'A' } as never)).toEqual([one]);
  expect(withToggled([one, two], one)).toEqual([two]);
  expect(readFavourites([one, null, 'x', { providerId: 1 }, two])).toEqual([one, two]);
  expect(readFavourites({ old: true })).toEqual([]);
});
