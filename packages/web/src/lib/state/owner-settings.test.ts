import { expect, it } from 'vitest';
import { ownerSettingsIn } from './owner-settings.ts';

it("reads the operator's settings for the page", () => {
  expect(ownerSettingsIn({ theme: 'dark', language: 'zh-Hant' })).toEqual({ theme: 'dark', language: 'zh-Hant' });
  expect(ownerSettingsIn({ language: 'zh-CN' }).language).toBe('zh-Hans');
});

it('leaves absent and unknown values to the browser', () => {
  const asTheBrowser = { theme: 'system', language: 'system' };
  expect(ownerSettingsIn({})).toEqual(asTheBrowser);
  expect(ownerSettingsIn({ theme: 'pink', language: 'fr', showThoughts: true })).toEqual(asTheBrowser);
  expect(ownerSettingsIn({ theme: 1, language: null })).toEqual(asTheBrowser);
});
