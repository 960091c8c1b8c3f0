import { describe, expect, test } from 'vitest';
import type { FormField } from './forms.ts';
import { asksForSecret, checkForm, formFaultText, readForm } from './forms.ts';
import type { JsonObject } from './json.ts';

function readFields(properties: JsonObject, required: string[] = []): FormField[] {
  const form = readForm({ type: 'object', properties, required });
  if ('problem' in form) throw new Error(form.problem);
  return form.fields;
}

describe('readForm', () => {
  test('reads fields of every kind in their order', () => {
    const fields = readFields(
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
    ['a nested object', { properties: { a: { type: 'object' } } }],
    ['a reference', { properties: { a: { $ref: 'https://example.com/x' } } }],
    ['a list without options', { properties: { a: { type: 'array', items: { type: 'string' } } } }],
    ['options that are not strings', { properties: { a: { enum: [1, 2] } } }],
    ['a required field that does not exist', { properties: {}, required: ['a'] }],
    ['more than 100 fields', { properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, {}])) }],
  ])('rejects a schema with %s', (_what, schema) => {
    expect(readForm(schema)).toMatchObject({ problem: expect.any(String) as string });
  });
});

describe('checkForm', () => {
  const fields = readFields(
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

  test('accepts valid values', () => {
    expect(checkForm(fields, good)).toEqual([]);
    expect(checkForm(fields, { text: 'ab' })).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['"text" is required', { text: undefined as never }],
    ['"text" must be text', { text: 1 }],
    ['"text" must have at least 2', { text: 'a' }],
    ['"text" must have at most 3', { text: 'abcd' }],
    ['"mail" must be an email', { mail: 'a@b' }],
    ['"page" must be a URL', { page: 'example.com' }],
    ['"day" must be a date', { day: '2026-02-29' }],
    ['"time" must be a date and time', { time: '2026-01-31T12:00' }],
    ['"whole" must be a number', { whole: '2' }],
    ['"whole" must be a whole number', { whole: 1.5 }],
    ['"whole" must be at least 1', { whole: 0 }],
    ['"whole" must be at most 3', { whole: 4 }],
    ['"yes" must be true or false', { yes: 'yes' }],
    ['"one" must be one of', { one: 'b' }],
    ['"some": choose at least 1', { some: [] }],
    ['"some": choose at most 1', { some: ['a', 'b'] }],
    ['"some" must be one of', { some: ['c'] }],
    ['"extra" is not a field', { extra: 1 }],
  ])('reports: %s', (message, change) => {
    const content = Object.fromEntries(
      Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(checkForm(fields, content as JsonObject).map(formFaultText)).toEqual([expect.stringContaining(message)]);
  });

  test('ignores inherited properties of objects', () => {
    expect(checkForm(readFields({ toString: { type: 'string' } }, ['toString']), {})).toMatchObject([
      { rule: 'required' },
    ]);
    const hostile = JSON.parse('{"text":"ab","__proto__":1}') as JsonObject;
    expect(checkForm(fields, hostile)).toMatchObject([{ name: '__proto__', rule: 'unknown' }]);
  });
});

test('attack 22: recognizes a form that asks for a password or a key by its words', () => {
  const formWith = (name: string, more: JsonObject = {}) => readFields({ [name]: { type: 'string', ...more } });
  for (const fields of [
    formWith('api_key'),
    formWith('x', { title: 'Your passphrase' }),
    formWith('x', { description: '密碼' }),
  ])
    expect(asksForSecret('', fields)).toBe(true);
  expect(asksForSecret('Please give your access token', formWith('x'))).toBe(true);
  for (const harmless of [
    'Your name. Do not give us your pin!',
    'Never enter a password here',
    '請勿輸入您的密碼。',
    'Your favorite integer (do not give us your phone number, pin, or other sensitive info)',
  ]) {
    expect(asksForSecret(harmless, formWith('x'))).toBe(false);
  }
  for (const evasive of [
    'Do not worry, enter your pin',
    'Do not give your name but your password',
    'Never share your password; what is your password?',
    'Do not give your name, just your pin',
    'Do not give your name, enter a pin',
    'Do not give your name, your pin is enough',
  ]) {
    expect(asksForSecret(evasive, formWith('x'))).toBe(true);
  }
  expect(asksForSecret('Which city?', formWith('city', { title: 'Passenger' }))).toBe(false);
});
