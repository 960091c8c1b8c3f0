import { describe, expect, test } from 'vitest';
import { runFunction } from '../functions/run-function.ts';
import { calculate } from './calculate.ts';

async function answerTo(expression: string): Promise<string> {
  const { content, isError } = await runFunction(calculate, { expression }, CONTEXT);
  const [part] = content;
  const text = part?.type === 'text' ? part.text : '';
  return isError ? `error: ${text}` : text;
}

const CONTEXT = {
  signal: new AbortController().signal,
  progress: () => undefined,
  ask: () => Promise.reject(new Error('not asked')),
};

describe('calculate', () => {
  test.each([
    ['0.1 + 0.2', '0.3'],
    ['2^200', '1606938044258990275541962092341162602522202993782792835301376'],
    ['1/3', '0.33333333333333333333333333333333'],
    ['80 * 15%', '12'],
    ['a = 3\nb = 4\nsqrt(a^2 + b^2)', '5'],
    ['5 inch to cm', '12.7 cm'],
    ['std([2, 4, 4, 4, 5, 5, 7, 9], "x")', 'error: Text is not supported.'],
    ['round(mean([1, 2, 4]), 3)', '2.333'],
    ['100! / 98!', '9900'],
  ])('%j is %j', async (expression, expected) => {
    expect(await answerTo(expression)).toBe(expected);
  });

  test.each([
    'import({ a: 1 })',
    'createUnit("foo")',
    'evaluate("1 + 1")',
    'parse("1")',
    'simplify("x + x")',
    'cos.constructor("return process")()',
    '[1].constructor',
    '"a".constructor',
    'f(x) = x',
    '{ a: 1 }',
    'toString',
    '__proto__',
    'hasOwnProperty("a")',
  ])('reaches nothing but arithmetic: %s', async (expression) => {
    expect(await answerTo(expression)).toMatch(/^error: /);
  });

  test.each([
    ['1:1000000000', /not supported/],
    ['ones(100000, 100000)', /no function "ones"/],
    ['100000!', /limited to 3000/],
    ['exp(10^12)', /limited to 100000/],
    ['10^9000 % 7', /limited to 1e\+60/],
    ['9^9^9^9', /^Infinity$/],
    [`${'('.repeat(990)}1${')'.repeat(990)}`, /^error: |^1$/],
  ])('is bounded: %s', async (expression, expected) => {
    expect(await answerTo(expression)).toMatch(expected);
  });
});
