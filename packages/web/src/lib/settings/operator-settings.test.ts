import { expect, it } from 'vitest';
import { parseOperatorSettings } from './operator-settings.ts';

it("reads the operator's settings for the page", () => {
  expect(parseOperatorSettings({ theme: 'dark', language: 'zh-Hant' })).toEqual({ theme: 'dark', language: 'zh-Hant' });
  expect(parseOperatorSettings({ language: 'zh-CN' }).language).toBe('zh-Hans');
});

it('leaves absent and unknown values to the browser', () => {
  const asTheBrowser = { theme: 'system', language: 'system' };
  expect(parseOperatorSettings({})).toEqual(asTheBrowser);
  expect(parseOperatorSettings({ theme: 'pink', language: 'fr', showThoughts: true })).toEqual(asTheBrowser);
  expect(parseOperatorSettings({ theme: 1, language: null })).toEqual(asTheBrowser);
});
