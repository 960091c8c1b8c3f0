import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import type { Price, Rates } from '@toolyard/protocol';

type Amount = number | TieredPrices | undefined;

/**
 * Converts a price of the price list. Undefined unless both input and output prices of text are known: an incomplete
 * price would give wrong costs, and images and speech have units of their own.
 */
export function readPrice(price: ModelPrice): Price | undefined {
  const { input_mtok: input, output_mtok: output } = price;
  if (input === undefined || output === undefined) return undefined;
  const cached = price['cache_read_mtok'];
  const written = price['cache_write_mtok'];
  const ratesAbove = (inputTokens: number): Rates => ({
    inputPerMillion: amountAbove(input, inputTokens),
    outputPerMillion: amountAbove(output, inputTokens),
    ...(cached === undefined ? {} : { cachedInputPerMillion: amountAbove(cached, inputTokens) }),
    ...(written === undefined ? {} : { cacheWritePerMillion: amountAbove(written, inputTokens) }),
  });
  const steps = [...new Set([input, output, cached, written].flatMap(thresholds))].sort((a, b) => a - b);
  const perThousand = price['requests_kcount'];
  return {
    ...ratesAbove(0),
    ...(steps.length === 0
      ? {}
      : { above: steps.map((inputTokens) => ({ inputTokens, rates: ratesAbove(inputTokens + 1) })) }),
    ...(typeof perThousand === 'number' ? { perRequest: perThousand / 1000 } : {}),
  };
}

function thresholds(amount: Amount): number[] {
  return typeof amount === 'object' ? amount.tiers.map(({ start }) => start) : [];
}

function amountAbove(amount: number | TieredPrices, inputTokens: number): number {
  if (typeof amount === 'number') return amount;
  const reached = amount.tiers.filter(({ start }) => inputTokens > start).sort((a, b) => b.start - a.start);
  return reached[0]?.price ?? amount.base;
}
