import type { JsonValue } from '@toolyard/protocol';
import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { readErrorValue, readProviderError } from './error-body.ts';
import { toModelError } from './provider-error.ts';
import { waitNotice } from './retry.ts';

const context = { server: 'Fake', address: 'Fake', model: 'm', hasKey: true, redact: (text: string) => text };
const REASON = 'the real reason 4711';

/** How gateways and servers wrap a reason; each takes the value of the one inside. */
const WRAPPERS: Readonly<Record<string, (inner: JsonValue) => JsonValue>> = {
  error: (inner) => ({ error: inner }),
  'error.message': (inner) => ({ error: { message: inner, code: 400 } }),
  'error.error': (inner) => ({ error: { error: inner } }),
  'a list, as from Google': (inner) => [{ error: { message: inner, status: 'INVALID_ARGUMENT' } }],
  errors: (inner) => ({ errors: [inner] }),
  'errors with messages': (inner) => ({ errors: [{ message: inner }] }),
  detail: (inner) => ({ detail: inner }),
  'detail of FastAPI': (inner) => ({ detail: [{ loc: ['body', 'tools', 0], msg: inner, type: 'value_error' }] }),
  message: (inner) => ({ object: 'error', message: inner, code: 3230 }),
  'problem details': (inner) => ({ type: 'about:blank', title: inner, status: 400 }),
  'metadata.raw': (inner) => ({
    error: { message: 'Provider returned error', metadata: { raw: inner, provider_name: 'X' } },
  }),
  'JSON in text': (inner) => ({ error: { message: JSON.stringify({ error: { message: inner } }) } }),
  'another member': (inner) => ({ status: 'failed', explanation: inner }),
};

describe('the reason of an error', () => {
  test.each(Object.keys(WRAPPERS))('is found in %s', (name) => {
    expect(readProviderError(JSON.stringify(WRAPPERS[name]?.(REASON))).message).toContain(REASON);
  });

  test('is found however many wrappers there are', () => {
    const wrapper = fc.constantFrom(...Object.entries(WRAPPERS).filter(([name]) => name !== 'another member'));
    fc.assert(
      fc.property(fc.array(wrapper, { minLength: 1, maxLength: 3 }), fc.boolean(), (chain, isText) => {
        const value = chain.reduce<JsonValue>((inner, [, wrap]) => {
          const wrapped = wrap(inner);
          return isText ? JSON.stringify(wrapped) : wrapped;
        }, REASON);
        expect(readProviderError(typeof value === 'string' ? value : JSON.stringify(value)).message).toContain(REASON);
      }),
    );
  });

  test('is anything readable, whatever the body is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (body) => {
        const { message } = readProviderError(body);
        if (/^\s*([[{]|<)/.test(body)) return;
        expect(typeof message).toBe('string');
      }),
    );
    expect(readProviderError('{"foo":"bar"}').message).toBe('{"foo":"bar"}');
    expect(readProviderError('{}').message).toBe('');
  });

  test.each([
    ['<html><head><title>502 Bad\nGateway</title></head></html>', '502 Bad Gateway'],
    ['<!doctype html><body><h1>Blocked by proxy</h1></body>', 'Blocked by proxy'],
    ['<html></html>', ''],
  ])('is the title of the page %j', (page, message) => {
    expect(readProviderError(page).message).toBe(message);
  });

  test('of a gateway precedes that of the provider, each once', () => {
    const raw = { object: 'error', message: 'Unexpected role', type: 'invalid_request_message_order', code: '3230' };
    const error = readProviderError(
      JSON.stringify({
        error: { message: 'Provider returned error', code: 400, metadata: { raw: JSON.stringify(raw) } },
      }),
    );
    expect(error).toMatchObject({ message: 'Provider returned error: Unexpected role', code: '400' });
    expect(readProviderError(JSON.stringify({ error: { message: 'Same', metadata: { raw: 'Same' } } })).message).toBe(
      'Same',
    );
  });

  test('names the field, and the kind of the wrapped error decides', () => {
    expect(readProviderError(JSON.stringify(WRAPPERS['detail of FastAPI']?.('Field required')))).toMatchObject({
      message: 'tools.0: Field required',
      param: 'tools.0',
    });
    const raw = { error: { message: 'Too long', code: 'context_length_exceeded' } };
    const wrapped = readProviderError(
      JSON.stringify({ error: { message: 'Provider error', code: 400, metadata: { raw } } }),
    );
    expect(toModelError(wrapped, 400, context).code).toBe('context_exceeded');
  });

  test.each([
    [{ status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }, 'invalid_key'],
    [{ status: 'PERMISSION_DENIED' }, 'invalid_key'],
    [{ status: 'INVALID_ARGUMENT' }, 'bad_request'],
    [{ code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } }, 'refused'],
    [{ code: 'data_inspection_failed' }, 'refused'],
  ])('of the kind %j is %s', (more, code) => {
    const error = readProviderError(JSON.stringify([{ error: { message: 'No.', ...more } }]));
    expect(toModelError(error, 400, context).code).toBe(code);
  });

  test('of Google includes the fields at fault', () => {
    const details = [{ fieldViolations: [{ field: 'tools', description: 'Invalid schema in f' }] }];
    const body = { error: { code: 400, message: 'Request contains an invalid argument.', details } };
    expect(readProviderError(JSON.stringify(body)).message).toContain('Invalid schema in f');
  });

  test('is not looked for in the chunks of an answer', () => {
    expect(readErrorValue({ choices: [], message: 'x' })).toBeNull();
    expect(readErrorValue({ id: 'x', object: 'chat.completion.chunk', usage: {} })).toBeNull();
  });
});

test.each([
  ["Invalid schema: In context=('properties', 'x'), the enum exceeds 500 values", 400, 'bad_request'],
  ['Tools are unavailable for this model', 400, 'bad_request'],
  ['Service unavailable', 500, 'overloaded'],
])('%s with HTTP %i is %s', (message, status, code) => {
  expect(toModelError({ message, code: '', type: '', param: '' }, status, context).code).toBe(code);
});

test('an error within a stream is one of the request if its type says so', () => {
  const error = { type: 'error', error: { type: 'invalid_request_error', message: 'Bad tools' } };
  const read = readErrorValue(error);
  expect(read === null ? null : toModelError(read, null, context).code).toBe('bad_request');
});

test('a key that LiteLLM cannot look up is reported as a wrong key', () => {
  const body = { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } };
  expect(toModelError(readProviderError(JSON.stringify(body)), 400, context)).toMatchObject({
    code: 'invalid_key',
    hint: expect.stringContaining('API key'),
  });
});

test.each([
  ['Rate limit reached', 1960, 'Rate limit reached. Retrying in 2 s.'],
  ['Rate limit reached.', 500, 'Rate limit reached. Retrying in 1 s.'],
  ['請稍候。', 500, '請稍候。 Retrying in 1 s.'],
])('the notice of a retry after %j ends the sentence', (message, waitMs, text) => {
  expect(waitNotice(waitMs, { code: 'rate_limited', message }).text).toBe(text);
});
