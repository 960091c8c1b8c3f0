import { expect, it } from 'vitest';
import {
  NUMBER_FIELDS,
  readExtra,
  readNumber,
  readStop,
  withEffort,
  withExtra,
  withNumber,
  withStop,
  writeStop,
} from './parameter-fields.ts';
import { decidedCount } from './decided-count.ts';

function field(name: string) {
  const found = NUMBER_FIELDS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
}

it('reads numbers as people type them, and nothing as the default', () => {
  expect(readNumber(' 0,7 ', field('temperature'))).toEqual({ ok: true, value: 0.7 });
  expect(readNumber('.5', field('topP'))).toEqual({ ok: true, value: 0.5 });
  expect(readNumber('', field('seed'))).toEqual({ ok: true, value: undefined });
});

it('says what is wrong with a number', () => {
  expect(readNumber('warm', field('temperature'))).toEqual({ ok: false, problem: 'number' });
  expect(readNumber('0x10', field('seed'))).toEqual({ ok: false, problem: 'number' });
  expect(readNumber('1.5', field('maxTurns'))).toEqual({ ok: false, problem: 'whole' });
  expect(readNumber('2.1', field('temperature'))).toEqual({ ok: false, problem: 'range' });
  expect(readNumber('0', field('maxTurns'))).toEqual({ ok: false, problem: 'range' });
});

it('gives a value back to the layers below without touching the others', () => {
  const set = withNumber({ parameters: { topP: 0.9 } }, 'temperature', 0);
  expect(set).toEqual({ parameters: { topP: 0.9, temperature: 0 } });
  expect(withNumber(set, 'topP', undefined)).toEqual({ parameters: { temperature: 0 } });
  expect(withNumber({ limits: { maxSameCall: 3 } }, 'maxTurns', 5)).toEqual({
    limits: { maxSameCall: 3, maxTurns: 5 },
  });
  expect(withStop({ parameters: { stop: ['a'] } }, undefined)).toEqual({ parameters: {} });
});

it('keeps stop sequences with line breaks and backslashes through the form', () => {
  const stop = ['\n\n', 'User:', 'a\\nb', '\t'];
  expect(readStop(writeStop(stop))).toEqual(stop);
  expect(readStop('\n\n')).toBeUndefined();
});

it('counts what a conversation decides itself', () => {
  expect(decidedCount({ instructions: '', parameters: {}, model: { providerId: 'a', modelId: 'b' } })).toBe(0);
  expect(
    decidedCount({
      instructions: 'x',
      parameters: { temperature: 0 },
      limits: { maxTurns: 1 },
      budgets: [{ of: 'run', dollars: 2 }],
      toolMode: 'text',
    }),
  ).toBe(5);
});

it('takes more fields only as a JSON object, and gives them back as they were', () => {
  expect(readExtra(' {"a": [1, {"b": null}]} ')).toEqual({ ok: true, value: { a: [1, { b: null }] } });
  expect(readExtra('  ')).toEqual({ ok: true, value: undefined });
  for (const text of ['[1]', '"a"', '{"a": 1', 'null']) expect(readExtra(text)).toEqual({ ok: false });
  expect(withExtra({ parameters: { seed: 1, extra: { a: 1 } } }, undefined)).toEqual({ parameters: { seed: 1 } });
  expect(withEffort({ parameters: { seed: 1 } }, 'high')).toEqual({ parameters: { seed: 1, reasoningEffort: 'high' } });
});
