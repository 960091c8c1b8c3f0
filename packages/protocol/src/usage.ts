/** Tokens of one or more model calls. A field that is absent is unknown, never zero. */
export type Usage = {
  inputTokens?: number;
  outputTokens?: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
};

const fields = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'] as const;

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

/** What a model costs, in US dollars for a million tokens. */
export type Price = { inputPerMillion: number; outputPerMillion: number; cachedInputPerMillion?: number };

/** Dollars for `usage` at `price`; undefined where the usage is not known. */
export function costOf(usage: Usage, price: Price): number | undefined {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined;
  const cached = price.cachedInputPerMillion === undefined ? 0 : (usage.cachedInputTokens ?? 0);
  const fresh = (usage.inputTokens ?? 0) - cached;
  const dollars =
    fresh * price.inputPerMillion +
    cached * (price.cachedInputPerMillion ?? 0) +
    (usage.outputTokens ?? 0) * price.outputPerMillion;
  return dollars / 1_000_000;
}
