import { expect, it } from 'vitest';
import { createErrorInfo, ToolyardError } from './errors.ts';
import { fillTemplate, readTemplates, say, withTemplates } from './say.ts';

const inner = say`listing its tools`;
const text = say`The server "${'a'}" failed (HTTP ${500}) while ${inner}.`;

it('a text has its English form, and its template with the values in order', () => {
  expect(`${text.text}`).toBe('The server "a" failed (HTTP 500) while listing its tools.');
  expect(text.template).toEqual({
    template: 'The server "{0}" failed (HTTP {1}) while {2}.',
    values: ['a', '500', { template: 'listing its tools' }],
  });
  expect(fillTemplate(text.template)).toBe(text.text);
});

it('fills in values once: one that looks like a placeholder is shown as it is', () => {
  expect(fillTemplate(say`${'{1}'} and ${'{0}'}`.template)).toBe('{1} and {0}');
});

it('an error is stored with English texts and their templates, and keeps them when it is thrown again', () => {
  const info = createErrorInfo({ code: 'server_refused', message: text, hint: 'Not ours.' });
  expect(info).toEqual({
    code: 'server_refused',
    message: text.text,
    hint: 'Not ours.',
    templates: { message: text.template },
  });
  expect(new ToolyardError(info).toJSON()).toEqual(info);
});

it('drops the template of a text that was replaced', () => {
  const info = createErrorInfo({ code: 'internal', message: text, hint: inner });
  expect(withTemplates({ ...info, message: 'Something else.' })).toEqual({
    code: 'internal',
    message: 'Something else.',
    hint: 'listing its tools',
    templates: { hint: inner.template },
  });
});

it.each([
  [undefined, undefined],
  [{ message: 'text' }, undefined],
  [{ message: { template: 1 }, hint: { template: 'a', values: [1] } }, undefined],
  [{ message: { template: '{0}', values: [{}] }, hint: inner.template }, { hint: inner.template }],
])('reads the templates in %j', (json, templates) => {
  expect(readTemplates(json)).toEqual(templates);
});
