import type { Price, Rates } from './schemas/common.ts';
import type { Usage } from './schemas/messages.ts';

const fields = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/** The sum of two usages; a field that both do not have stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {};
  for (const field of fields) {
    const left = a[field];
    const right = b[field];
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

/** US dollars for one request that used `usage`; undefined if the usage is unknown. */
export function costOf(usage: Usage, price: Price): number | undefined {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined;
  const input = usage.inputTokens ?? 0;
  const rates = ratesFor(input, price);
  const cached = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const dollars =
    Math.max(0, input - cached - written) * rates.inputPerMillion +
    cached * (rates.cachedInputPerMillion ?? rates.inputPerMillion) +
    written * (rates.cacheWritePerMillion ?? rates.inputPerMillion) +
    (usage.outputTokens ?? 0) * rates.outputPerMillion;
  return dollars / 1_000_000 + (price.perRequest ?? 0);
}

function ratesFor(inputTokens: number, price: Price): Rates {
  let passed = -1;
  let rates: Rates = price;
  for (const step of price.above ?? []) {
    if (inputTokens > step.inputTokens && step.inputTokens > passed) {
      passed = step.inputTokens;
      ({ rates } = step);
    }
  }
  return rates;
}
