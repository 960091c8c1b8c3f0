/** Tokens of one or more model calls. A field that is absent is unknown, never zero. */
export type Usage = {
  /** All of the input, whether or not a cache had it. */
  inputTokens?: number;
  outputTokens?: number;
  /** The part of the input that was read from a cache. */
  cachedInputTokens?: number;
  /** The part of the input that was written to a cache. */
  cacheWriteTokens?: number;
  /** The part of the output that was thinking. */
  reasoningTokens?: number;
};

const fields = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/** The sum of two usages; what is unknown in both stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {};
  for (const field of fields) {
    const left = a[field];
    const right = b[field];
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

/** US dollars for a million tokens. Without a rate of its own, what a cache read or was given costs as other input. */
export type Rates = {
  inputPerMillion: number;
  outputPerMillion: number;
  cachedInputPerMillion?: number;
  cacheWritePerMillion?: number;
};

/** What a model costs. */
export type Price = Rates & {
  /** Rates of a whole request with more input than that; of several the highest that is passed counts. */
  above?: { inputTokens: number; rates: Rates }[];
  /** US dollars for each request, beside its tokens. */
  perRequest?: number;
};

/** US dollars for one request that used `usage`; undefined where the usage is not known. */
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
