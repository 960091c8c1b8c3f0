import type { Setting } from '@toolyard/protocol';
import { SETTINGS } from '@toolyard/protocol';
import { expect, it } from 'vitest';
import { readText, writeText } from './setting-text.ts';
import { SETTING_TEXTS } from './setting-translations.ts';
import { countOverrides, editedPart, formSettings, withValue } from './setting-values.ts';

it('has texts for the settings of the form, and for no others', () => {
  expect(Object.keys(SETTING_TEXTS)).toEqual(formSettings().map(([path]) => path));
});

it('reads numbers with a point or a comma, and an empty field as the default', () => {
  expect(readText(SETTINGS['parameters.temperature'], ' 0,7 ')).toEqual({ ok: true, value: 0.7 });
  expect(readText(SETTINGS['parameters.topP'], '.5')).toEqual({ ok: true, value: 0.5 });
  expect(readText(SETTINGS['parameters.seed'], '')).toEqual({ ok: true, value: undefined });
});

it.each([
  ['warm', 'parameters.temperature', 'number'],
  ['0x10', 'parameters.seed', 'number'],
  ['1.5', 'limits.maxTurns', 'whole'],
  ['2.1', 'parameters.temperature', 'range'],
  ['-0.1', 'parameters.temperature', 'range'],
  ['0', 'limits.maxTurns', 'range'],
  ['1001', 'limits.maxTurns', 'range'],
  ['9007199254740993', 'parameters.seed', 'range'],
  ['[1]', 'parameters.extra', 'json'],
  ['null', 'parameters.extra', 'json'],
  ['{"a": 1', 'parameters.extra', 'json'],
] as const)('rejects %s for %s', (text, path, problem) => {
  expect(readText(SETTINGS[path], text)).toEqual({ ok: false, problem });
});

it('keeps stop sequences with line breaks and backslashes unchanged', () => {
  const stop: Setting = SETTINGS['parameters.stop'];
  const value = ['\n\n', 'User:', 'a\\nb', '\t'];
  expect(readText(stop, writeText(value))).toEqual({ ok: true, value });
  expect(readText(stop, '\n\n')).toEqual({ ok: true, value: undefined });
});

it('reads a JSON object and writes it back', () => {
  const extra: Setting = SETTINGS['parameters.extra'];
  const value = { a: [1, { b: null }] };
  expect(readText(extra, writeText(value))).toEqual({ ok: true, value });
});

it('sets and removes one value without changing the others', () => {
  const set = withValue({ parameters: { topP: 0.9 } }, 'parameters.temperature', 0);
  expect(set).toEqual({ parameters: { topP: 0.9, temperature: 0 } });
  expect(withValue(set, 'parameters.topP', undefined)).toEqual({ parameters: { temperature: 0 } });
  expect(withValue({ limits: { maxSameCall: 3 } }, 'limits.maxTurns', 5)).toEqual({
    limits: { maxSameCall: 3, maxTurns: 5 },
  });
  expect(withValue({ toolMode: 'text' }, 'toolMode', undefined)).toEqual({ toolMode: undefined });
});

it('sends every edited field, and no field that the form does not edit', () => {
  const inForm = Object.keys(SETTING_TEXTS).map((path) => path.split('.')[0]);
  const sent = Object.keys(editedPart({ servers: { a: true }, historyMessages: 3 }));
  expect(new Set(sent)).toEqual(new Set([...inForm, 'budgets']));
});

it('counts the overrides of a conversation', () => {
  expect(countOverrides({ instructions: '', parameters: {}, model: { providerId: 'a', modelId: 'b' } })).toBe(0);
  expect(
    countOverrides({
      instructions: 'x',
      parameters: { temperature: 0 },
      limits: { maxTurns: 1 },
      budgets: [{ of: 'run', dollars: 2 }],
      toolMode: 'text',
      intervention: 'auto',
    }),
  ).toBe(5);
});
