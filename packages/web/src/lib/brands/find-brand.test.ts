import { expect, test } from 'vitest';
import { brandOfModel, brandOfPreset, brandOfProvider, brandOfServer } from './find-brand.ts';

test.each([
  ['claude-sonnet-4-5', 'claude'],
  ['gpt-4o-mini', 'openai'],
  ['o3-mini', 'openai'],
  ['meta-llama/Llama-3.3-70B-Instruct', 'meta'],
  ['accounts/fireworks/models/deepseek-v3', 'deepseek'],
  ['deepseek-r1-distill-qwen-7b', 'deepseek'],
  ['nvidia/unknown', 'nvidia'],
  [String.raw`C:\models\qwen2.5-coder-7b.gguf`, 'qwen'],
  ['/models/gemma-3-4b-it-Q4_K_M.gguf', 'gemma'],
  ['phi3:mini', 'microsoft'],
  ['yi-34b', 'yi'],
])('finds the family of the model %s', (modelId, brand) => {
  expect(brandOfModel(modelId)).toBe(brand);
});

test.each(['scripted', 'my-model', 'yield-1', 'demo', '', '💡'])('finds no family of %j', (modelId) => {
  expect(brandOfModel(modelId)).toBe(null);
});

test('finds the icon of a provider by preset or host, not by its label', () => {
  const provider = { id: 'p1', baseUrl: 'http://127.0.0.1:8080/v1', label: 'OpenAI' };
  expect(brandOfProvider(provider)).toBe(null);
  expect(brandOfProvider({ ...provider, known: 'togetherai' })).toBe('together');
  expect(brandOfProvider({ ...provider, baseUrl: 'https://api.anthropic.com/v1' })).toBe('anthropic');
  expect(brandOfProvider({ ...provider, baseUrl: 'https://api.anthropic.com.evil.example/v1' })).toBe(null);
  expect(brandOfPreset('constructor')).toBe(null);
});

test('finds the icon of a server by the name that the user gave it', () => {
  expect(brandOfServer('github-work')).toBe('github');
  expect(brandOfServer('Notion')).toBe('notion');
  expect(brandOfServer('githubber')).toBe(null);
});
