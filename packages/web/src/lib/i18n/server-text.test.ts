import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createErrorInfo, say, withTemplate, withTemplates } from '@toolyard/protocol';
import { errorCode, runEvent } from '@toolyard/protocol/schemas';
import { problems } from './en/problems.ts';
import { i18n } from './i18n.svelte.ts';
import { builtInText, errorLine, explainError, loadServerTexts, serverText } from './server-text.ts';

const NO_KEY = createErrorInfo({
  code: 'invalid_key',
  message: say`${'Home'} requires an API key, and none is set.`,
  hint: say`${say`Check the API key of this provider and its permissions.`} Base URL: ${'http://127.0.0.1:8080'}`,
});

/** A text of the server as the page receives it. */
function shown(text: ReturnType<typeof say>) {
  const { text: english, templates } = withTemplates({ text });
  return serverText(english, templates?.['text']);
}

afterAll(() => {
  i18n.locale = 'en';
});

it('has a title for every error code', () => {
  expect(errorCode.options.filter((code) => !(code in problems))).toEqual([]);
});

it('shows texts of the server as they are on a page in English', async () => {
  await loadServerTexts();
  expect(serverText(NO_KEY.message, undefined)).toEqual({ text: NO_KEY.message, lang: undefined });
  expect(explainError({ ...NO_KEY, status: 502 })).toMatchObject({
    title: undefined,
    message: { text: 'Home requires an API key, and none is set.' },
  });
});

describe('in Chinese', () => {
  beforeAll(async () => {
    i18n.locale = 'zh-Hant';
    await loadServerTexts();
  });

  it('translates a text of the server with its values', () => {
    expect(shown(say`It accesses ${'~/.ssh/id_ed25519'}, which may contain secrets.`)).toEqual({
      text: '它會存取 ~/.ssh/id_ed25519，其中可能有機密。',
      lang: undefined,
    });
  });

  it('translates an error of a stored event, with the texts within its texts', () => {
    const message = say`${withTemplate(NO_KEY.message, NO_KEY.templates?.['message'])} Retrying in ${2} s.`;
    const event = runEvent.parse(
      JSON.parse(
        JSON.stringify({
          ...{ v: 1, seq: 1, runId: 'r', step: 0, attempt: 1, at: 1 },
          ...{ type: 'compression_failed', error: createErrorInfo({ ...NO_KEY, message }) },
        }),
      ),
    );
    if (event.type !== 'compression_failed') throw new Error('another event');
    expect(event.error.message).toBe('Home requires an API key, and none is set. Retrying in 2 s.');
    expect(errorLine(event.error)).toBe(
      'Home 需要 API 金鑰，但尚未設定。將在 2 秒後重試。 請檢查此供應商的 API 金鑰及其權限。基底 URL：http://127.0.0.1:8080',
    );
  });

  it('shows hidden characters of values', () => {
    expect(shown(say`The server "${'a\u202eb'}" is disabled.`).text).toBe('伺服器「a⟨U+202E⟩b」已停用。');
  });

  it('ignores a template that does not result in the text', () => {
    const template = { template: 'The server "{0}" is disabled.', values: ['a'] };
    const text = 'All your files are safe.';
    expect(serverText(text, template)).toEqual({ text, lang: 'en' });
  });

  it("shows values as they are, even those that look like a server's texts", () => {
    expect(shown(say`The server "${'{0} The disk is full.'}" is disabled.`).text).toBe(
      '伺服器「{0} The disk is full.」已停用。',
    );
  });

  it('translates titles of built-in tools', () => {
    expect(builtInText('Get date')).toEqual({ text: '取得日期', lang: undefined });
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

  it('leaves texts of the page as they are', () => {
    const error = { code: 'network', status: 0, message: '無法連上伺服器。' };
    expect(explainError(error)).toEqual({
      title: undefined,
      message: { text: '無法連上伺服器。', lang: undefined },
      hint: undefined,
    });
  });
});
