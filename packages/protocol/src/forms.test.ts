import { describe, expect, test } from 'vitest';
import type { FormField } from './forms.ts';
import { asksForSecret, checkForm, formFaultText, readForm } from './forms.ts';
import type { JsonObject } from './json.ts';

function fieldsOf(properties: JsonObject, required: string[] = []): FormField[] {
  const form = readForm({ type: 'object', properties, required });
  if ('problem' in form) throw new Error(form.problem);
  return form.fields;
}

describe('a form is read', () => {
  test('with all kinds of fields there are, in their order', () => {
    const fields = fieldsOf(
      {
        name: { type: 'string', title: 'Name', description: 'Yours', minLength: 1, maxLength: 9, default: 'A' },
        when: { type: 'string', format: 'date-time' },
        old: { type: 'integer', minimum: 1, maximum: 9 },
        share: { type: ['number', 'null'] },
        yes: { type: 'boolean', default: true },
        plain: { type: 'string', enum: ['a', 'b'], default: 'b' },
        named: { enum: ['a', 'b'], enumNames: ['A'] },
        titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
        some: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, minItems: 1, default: ['x'] },
      },
      ['name'],
    );
    expect(fields).toMatchObject([
      { type: 'text', label: 'Name', description: 'Yours', required: true, minLength: 1, maxLength: 9, default: 'A' },
      { type: 'text', format: 'date-time', label: 'when', required: false },
      { type: 'number', integer: true, minimum: 1, maximum: 9 },
      { type: 'number', integer: false },
      { type: 'boolean', default: true },
      { type: 'choice', default: 'b', options: [{ value: 'a', label: 'a' }, { value: 'b' }] },
      {
        type: 'choice',
        options: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'b' },
        ],
      },
      { type: 'choice', options: [{ value: 'a', label: 'A' }] },
      { type: 'choices', minItems: 1, default: ['x'], options: [{ value: 'x', label: 'X' }] },
    ]);
  });

  test.each<[string, JsonObject]>([
    ['no fields', { type: 'object' }],
    ['an object inside', { properties: { a: { type: 'object' } } }],
    ['a reference', { properties: { a: { $ref: 'https://example.com/x' } } }],
    ['an endless list', { properties: { a: { type: 'array', items: { type: 'string' } } } }],
    ['options that are none', { properties: { a: { enum: [1, 2] } } }],
    ['a needed field that is not there', { properties: {}, required: ['a'] }],
    ['far too many', { properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, {}])) }],
  ])('but not one with %s', (_what, schema) => {
    expect(readForm(schema)).toMatchObject({ problem: expect.any(String) as string });
  });
});

describe('what was filled in', () => {
  const fields = fieldsOf(
    {
      text: { type: 'string', minLength: 2, maxLength: 3 },
      mail: { type: 'string', format: 'email' },
      page: { type: 'string', format: 'uri' },
      day: { type: 'string', format: 'date' },
      time: { type: 'string', format: 'date-time' },
      whole: { type: 'integer', minimum: 1, maximum: 3 },
      yes: { type: 'boolean' },
      one: { type: 'string', enum: ['a'] },
      some: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 1 },
    },
    ['text'],
  );
  const good = {
    text: '台北',
    mail: 'a@b.cd',
    page: 'mailto:x@y.z',
    day: '2028-02-29',
    time: '2026-01-31T23:59:00+08:00',
    whole: 2,
    yes: false,
    one: 'a',
    some: ['a'],
  };

  test('passes where it fits', () => {
    expect(checkForm(fields, good)).toEqual([]);
    expect(checkForm(fields, { text: 'ab' })).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['"text" is needed', { text: undefined as never }],
    ['"text" must be a text', { text: 1 }],
    ['"text" must have at least 2', { text: 'a' }],
    ['"text" must have at most 3', { text: 'abcd' }],
    ['"mail" must be an e-mail', { mail: 'a@b' }],
    ['"page" must be an address', { page: 'example.com' }],
    ['"day" must be a date', { day: '2026-02-29' }],
    ['"time" must be a date and a time', { time: '2026-01-31T12:00' }],
    ['"whole" must be a number', { whole: '2' }],
    ['"whole" must be a whole number', { whole: 1.5 }],
    ['"whole" must be at least 1', { whole: 0 }],
    ['"whole" must be at most 3', { whole: 4 }],
    ['"yes" must be yes or no', { yes: 'yes' }],
    ['"one" must be one of', { one: 'b' }],
    ['"some": choose at least 1', { some: [] }],
    ['"some": choose at most 1', { some: ['a', 'b'] }],
    ['"some" must be one of', { some: ['c'] }],
    ['"extra" is no field', { extra: 1 }],
  ])('is told of: %s', (said, change) => {
    const content = Object.fromEntries(
      Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(checkForm(fields, content as JsonObject).map(formFaultText)).toEqual([expect.stringContaining(said)]);
  });

  test('has nothing to do with what every object has', () => {
    expect(checkForm(fieldsOf({ toString: { type: 'string' } }, ['toString']), {})).toMatchObject([
      { rule: 'required' },
    ]);
    const odd = JSON.parse('{"text":"ab","__proto__":1}') as JsonObject;
    expect(checkForm(fields, odd)).toMatchObject([{ name: '__proto__', rule: 'unknown' }]);
  });
});

test('attack 22: a form that wants a password or a key is known by its words', () => {
  const wants = (name: string, more: JsonObject = {}) => fieldsOf({ [name]: { type: 'string', ...more } });
  for (const fields of [
    wants('api_key'),
    wants('x', { title: 'Your passphrase' }),
    wants('x', { description: '密碼' }),
  ])
    expect(asksForSecret('', fields)).toBe(true);
  expect(asksForSecret('Please give your access token', wants('x'))).toBe(true);
  for (const harmless of ['Your name. Do not give us your pin!', 'Never enter a password here', '請勿輸入您的密碼。']) {
    expect(asksForSecret(harmless, wants('x'))).toBe(false);
  }
  for (const sly of [
    'Do not worry, enter your pin',
    'Do not give your name but your password',
    'Never share your password; what is your password?',
  ]) {
    expect(asksForSecret(sly, wants('x'))).toBe(true);
  }
  expect(asksForSecret('Which city?', wants('city', { title: 'Passenger' }))).toBe(false);
});
