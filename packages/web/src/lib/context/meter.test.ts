import { describe, expect, it } from 'vitest';
import { toMeter } from './meter.ts';

const fill = (tokens: number, window: number) => ({
  tokens,
  window,
  parts: { instructions: tokens / 2, tools: 0, results: tokens / 4, messages: tokens / 4 },
});

describe('context meter', () => {
  it.each([
    [0, 'calm', 0],
    [64, 'calm', 64],
    [65, 'near', 65],
    [80, 'full', 80],
    [170, 'full', 100],
  ] as const)('%i of 100 tokens are %s', (tokens, state, percent) => {
    expect(toMeter(fill(tokens, 100))).toMatchObject({ state, percent });
  });

  it('has the non-empty segments, none wider than the window', () => {
    const { parts } = toMeter(fill(40, 100));
    expect(parts).toEqual([
      { name: 'instructions', tokens: 20, share: 0.2 },
      { name: 'messages', tokens: 10, share: 0.1 },
      { name: 'results', tokens: 10, share: 0.1 },
    ]);
    expect(toMeter(fill(1000, 0)).parts.every(({ share }) => share === 1)).toBe(true);
  });
});
