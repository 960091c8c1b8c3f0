import { afterAll, expect, it } from 'vitest';
import { i18n } from './i18n.svelte.ts';
import { loadProblemTitles, problemTitle } from './problem-title.ts';

afterAll(() => {
  i18n.locale = 'en';
});

it('says what an error of the server means in the language of the page', async () => {
  await loadProblemTitles();
  expect(problemTitle({ code: 'invalid_key' })).toBeUndefined();
  i18n.locale = 'zh-Hant';
  await loadProblemTitles();
  expect(problemTitle({ code: 'invalid_key', status: 502 })).toBe('API 金鑰無效或缺少權限');
  expect(problemTitle({ code: 'unknown_to_this_page' })).toBeUndefined();
  // The text of an error of the page itself is translated.
  expect(problemTitle({ code: 'network', status: 0 })).toBeUndefined();
});
