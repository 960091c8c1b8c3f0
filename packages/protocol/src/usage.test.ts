import { describe, expect, it } from 'vitest';
import { addUsage, costOf } from './usage.ts';

const PRICE = { inputPerMillion: 3, outputPerMillion: 15, cachedInputPerMillion: 0.3, cacheWritePerMillion: 3.75 };

describe('costOf', () => {
  it('is undefined if no tokens are known', () => {
    expect(costOf({}, PRICE)).toBeUndefined();
    expect(costOf({ reasoningTokens: 5 }, PRICE)).toBeUndefined();
  });

  it('counts each part of the input once, at its own rate', () => {
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 600_000,
      cacheWriteTokens: 300_000,
      outputTokens: 100_000,
    };
    expect(costOf(usage, PRICE)).toBeCloseTo(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75 + 0.1 * 15, 10);
  });

  it('charges cache tokens at the input rate if they have none, and never less than zero if the counts contradict', () => {
    const price = { inputPerMillion: 1, outputPerMillion: 0 };
    expect(costOf({ inputTokens: 1000, cachedInputTokens: 400, cacheWriteTokens: 100 }, price)).toBeCloseTo(0.001, 10);
    expect(costOf({ inputTokens: 10, cachedInputTokens: 30 }, { ...price, cachedInputPerMillion: 0 })).toBe(0);
  });

  it('applies the rates of the highest exceeded threshold to the whole request', () => {
    const price = {
      ...PRICE,
      above: [
        { inputTokens: 400_000, rates: { inputPerMillion: 9, outputPerMillion: 90 } },
        { inputTokens: 200_000, rates: { inputPerMillion: 6, outputPerMillion: 22.5 } },
      ],
    };
    expect(costOf({ inputTokens: 200_000, outputTokens: 1_000_000 }, price)).toBeCloseTo(0.6 + 15, 10);
    expect(costOf({ inputTokens: 200_001, outputTokens: 1_000_000 }, price)).toBeCloseTo(1.200006 + 22.5, 10);
    expect(costOf({ inputTokens: 500_000 }, price)).toBeCloseTo(4.5, 10);
  });

  it('adds the price per request', () => {
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, { ...PRICE, perRequest: 0.005 })).toBe(0.005);
  });
});

describe('addUsage', () => {
  it('adds up, and distinguishes unknown from zero', () => {
    expect(addUsage({ inputTokens: 1, cacheWriteTokens: 2 }, { inputTokens: 3, outputTokens: 0 })).toEqual({
      inputTokens: 4,
      cacheWriteTokens: 2,
      outputTokens: 0,
    });
  });
});
