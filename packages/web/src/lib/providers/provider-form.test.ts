import { expect, it } from 'vitest';
import type { ProviderPresetView, ProviderView } from '@toolyard/protocol';
import { toFields, filledFrom, needsKeyAgain, findProblems, toChange, toCreate, toTest } from './provider-form.ts';

const stored: ProviderView = {
  id: 'p1',
  label: 'Office',
  origin: 'settings',
  baseUrl: 'https://models.example.org/v1',
  hasKey: true,
  wire: 'anthropic-messages',
};

it('names the field that is incomplete', () => {
  expect(findProblems(toFields(null))).toEqual({ label: 'missing', baseUrl: 'address' });
  expect(findProblems({ ...toFields(stored), baseUrl: 'models.example.org' })).toEqual({ baseUrl: 'address' });
  expect(findProblems({ ...toFields(stored), baseUrl: 'file:///etc/passwd' })).toEqual({ baseUrl: 'address' });
  expect(findProblems(toFields(stored))).toEqual({});
});

it('a key that looks like a placeholder is a problem until the user insists', () => {
  for (const apiKey of ['<YOUR_KEY>', 'your-api-key', 'sk-...', 'xxx']) {
    const typed = { ...toFields(stored), apiKey };
    expect(findProblems(typed)).toHaveProperty('apiKey.gap');
    expect(findProblems(typed, { keepsGap: true })).toEqual({});
  }
  expect(findProblems({ ...toFields(stored), apiKey: 'sk-proj-4fZ1x9Q2' })).toEqual({});
});

it('adds http to a local or private address', () => {
  const typed = (baseUrl: string) => ({ ...toFields(stored), baseUrl });
  for (const address of ['127.0.0.1:8799', 'localhost:11434/v1', '[::1]:80', ' 192.168.1.7/v1 ', 'box.local:1234']) {
    expect(findProblems(typed(address))).toEqual({});
    expect(toCreate(typed(address)).baseUrl).toBe(`http://${address.trim()}`);
  }
  expect(findProblems(typed('localhost.example.org'))).toEqual({ baseUrl: 'address' });
});

it('clears the API format of a preset when another is chosen, and keeps one the user chose', () => {
  const preset = {
    id: 'a',
    label: 'A',
    baseUrl: 'https://a.example',
    wire: 'anthropic-messages',
  } as ProviderPresetView;
  const filled = filledFrom(preset, undefined, toFields(null));
  expect(filledFrom(undefined, preset, filled)).toMatchObject({ known: '', baseUrl: '', wire: 'openai-chat' });
  const own = { ...filled, wire: 'google-gemini' as const };
  expect(filledFrom(undefined, preset, own).wire).toBe('google-gemini');
});

const api = { wire: 'anthropic-messages', known: null, modelNames: [] };

it('keeps the stored key if none is entered, replaces it by an entered one, and removes it on request', () => {
  expect(toChange(toFields(stored))).toEqual({ label: 'Office', baseUrl: 'https://models.example.org/v1', ...api });
  expect(toChange({ ...toFields(stored), apiKey: ' new ' }).apiKey).toBe('new');
  expect(toChange({ ...toFields(stored), removeKey: true }).apiKey).toBeNull();
  const fresh = { ...toFields(null), label: ' A ', baseUrl: ' http://127.0.0.1:1/v1 ' };
  expect(toCreate(fresh)).toEqual({ label: 'A', baseUrl: 'http://127.0.0.1:1/v1', wire: 'openai-chat' });
});

it('requires the key again for another host, and does not test with the stored key there', () => {
  const moved = { ...toFields(stored), baseUrl: 'https://elsewhere.example.org/v1' };
  expect(needsKeyAgain(stored, moved)).toBe(true);
  expect(toTest(stored, moved)).not.toHaveProperty('id');
  expect(needsKeyAgain(stored, { ...moved, apiKey: 'k' })).toBe(false);
  expect(needsKeyAgain(stored, { ...toFields(stored), baseUrl: 'https://models.example.org/other/v1' })).toBe(false);
  expect(toTest(stored, toFields(stored))).toMatchObject({ id: 'p1', baseUrl: stored.baseUrl, wire: stored.wire });
  expect(toTest(stored, { ...toFields(stored), removeKey: true })).not.toHaveProperty('id');
});

const known = (id: string, baseUrl: string): ProviderPresetView => ({
  id,
  label: id.toUpperCase(),
  place: 'hosted',
  wire: 'google-gemini',
  baseUrl,
  keyVariables: [],
  apiKeyUrl: null,
  requiresModelNames: false,
  source: 'https://example.org',
  proof: 'documented',
});

it('fills in a preset, keeps a name of the user, and reverts only what it filled in', () => {
  const [a, b] = [known('a', 'https://a.example/v1'), known('b', 'https://{ACCOUNT}.b.example/v1')];
  const once = filledFrom(a, undefined, toFields(null));
  expect(once).toMatchObject({ known: 'a', label: 'A', baseUrl: a.baseUrl, wire: 'google-gemini' });
  const twice = filledFrom(b, a, once);
  expect(twice).toMatchObject({ known: 'b', label: 'B' });
  expect(findProblems(twice)).toEqual({ baseUrl: { gap: '{ACCOUNT}' } });
  expect(filledFrom(b, a, { ...once, label: 'Mine' }).label).toBe('Mine');
  expect(filledFrom(undefined, b, twice)).toMatchObject({ known: '', label: '', baseUrl: '' });
  const own = { ...twice, label: 'Mine', baseUrl: 'https://x.b.example/v1' };
  expect(filledFrom(undefined, b, own)).toMatchObject({ known: '', label: 'Mine', baseUrl: own.baseUrl });
});

it('accepts model names separated by lines or commas', () => {
  expect(toCreate({ ...toFields(stored), modelNames: ' a/b \n\nc, d' }).modelNames).toEqual(['a/b', 'c', 'd']);
});
