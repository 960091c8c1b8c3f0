import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCode } from '@toolyard/protocol/schemas';
import { problems } from './en/problems.ts';
import { i18n } from './i18n.svelte.ts';
import { errorLine, explainError, loadServerTexts, serverText } from './server-text.ts';

afterAll(() => {
  i18n.locale = 'en';
});

it('has a title for every error code', () => {
  expect(errorCode.options.filter((code) => !(code in problems))).toEqual([]);
});

it('shows texts of the server as they are on a page in English', async () => {
  await loadServerTexts();
  const error = { code: 'invalid_key', status: 502, message: 'Home requires an API key, and none is set.' };
  expect(serverText(error.message)).toEqual({ text: error.message, lang: undefined });
  expect(explainError(error)).toMatchObject({ title: undefined, message: { text: error.message } });
});

describe('in Chinese', () => {
  beforeAll(async () => {
    i18n.locale = 'zh-Hant';
    await loadServerTexts();
  });

  it('translates a text of the server with its values', () => {
    expect(serverText('It accesses ~/.ssh/id_ed25519, which may contain secrets.')).toEqual({
      text: '它會存取 ~/.ssh/id_ed25519，其中可能有機密。',
      lang: undefined,
    });
  });

  it('translates texts within a text', () => {
    const text = 'Check the API key of this provider and its permissions. Base URL: http://127.0.0.1:8080';
    expect(serverText(text).text).toBe('請檢查此供應商的 API 金鑰及其權限。基底 URL：http://127.0.0.1:8080');
  });

  it('shows hidden characters of values', () => {
    expect(serverText('The server "a\u202eb" is disabled.').text).toBe('伺服器「a⟨U+202E⟩b」已停用。');
  });

  it('shows a text without translation in English, after the meaning of its code', () => {
    const error = { code: 'not_found', status: 404, message: 'There is no thing 7.', hint: 'Look elsewhere.' };
    expect(explainError(error)).toEqual({
      title: '找不到',
      message: { text: 'There is no thing 7.', lang: 'en' },
      hint: { text: 'Look elsewhere.', lang: 'en' },
    });
    expect(errorLine(error)).toBe('找不到 There is no thing 7. Look elsewhere.');
    expect(explainError({ ...error, code: 'unknown_to_this_page' }).title).toBeUndefined();
  });

  it('does not repeat the meaning of a code if the text is translated', () => {
    const error = { code: 'invalid_key', status: 502, message: 'Home requires an API key, and none is set.' };
    expect(errorLine(error)).toBe('Home 需要 API 金鑰，但尚未設定。');
  });

  it('leaves texts of the page as they are', () => {
    const error = { code: 'network', status: 0, message: '無法連上伺服器。' };
    expect(explainError(error)).toEqual({
      title: undefined,
      message: { text: '無法連上伺服器。', lang: undefined },
      hint: undefined,
    });
  });
});
