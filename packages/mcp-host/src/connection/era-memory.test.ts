import { expect, test } from 'vitest';
import { createEraMemory, eraKey, saveEra, loadEra } from './era-memory.ts';

const DAY = 24 * 60 * 60 * 1_000;

test('remembers a legacy era for a week and a modern one forever', async () => {
  const memory = createEraMemory();
  await saveEra(memory, 'old', { era: 'legacy', at: 0 });
  await saveEra(memory, 'new', { era: 'modern', at: 0 });
  expect(await loadEra(memory, 'old', 6 * DAY)).toMatchObject({ era: 'legacy' });
  expect(await loadEra(memory, 'old', 8 * DAY)).toBeUndefined();
  expect(await loadEra(memory, 'new', 800 * DAY)).toMatchObject({ era: 'modern' });
  await saveEra(memory, 'new', undefined);
  expect(await loadEra(memory, 'new', 0)).toBeUndefined();
});

test('the key distinguishes configurations and contains no secret', () => {
  const stdio = { type: 'stdio' as const, command: 'node', args: ['a.js'], env: { KEY: 'hunter2' } };
  expect(eraKey(stdio)).toBe(eraKey({ ...stdio, env: { KEY: 'another' } }));
  expect(eraKey(stdio)).not.toBe(eraKey({ ...stdio, args: ['b.js'] }));
  const http = { type: 'http' as const, url: 'https://example.invalid/mcp?key=hunter2' };
  expect(eraKey(http)).not.toContain('hunter2');
  expect(eraKey(http)).toBe(eraKey({ ...http, headers: {} }));
});
