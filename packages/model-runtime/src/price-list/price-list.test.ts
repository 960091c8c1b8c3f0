import { describe, expect, it } from 'vitest';
import { loadProviders } from '../providers/load.ts';
import { catalogue } from './index.ts';
import { readPrice } from './read-price.ts';

const NOW = Date.UTC(2026, 9, 1, 12);
const find = (baseUrl: string, modelId: string, plan = false) => catalogue.facts({ baseUrl, plan }, modelId, NOW);

describe('model facts', () => {
  it('are found by base URL', () => {
    const { price, contextWindow } = find('https://api.anthropic.com/v1', 'claude-sonnet-4-5-20250929');
    expect(contextWindow).toBeGreaterThanOrEqual(200_000);
    expect(price?.inputPerMillion).toBeGreaterThan(0);
    expect(price?.outputPerMillion).toBeGreaterThan(price?.inputPerMillion ?? 0);
    expect(price?.cachedInputPerMillion).toBeLessThan(price?.inputPerMillion ?? 0);
    expect(price?.cacheWritePerMillion).toBeGreaterThan(price?.inputPerMillion ?? 0);
  });

  it('are found for Gemini models by either form of their name', () => {
    const address = 'https://generativelanguage.googleapis.com';
    expect(find(address, 'models/gemini-2.5-pro')).toEqual(find(address, 'gemini-2.5-pro'));
    expect(find(address, 'gemini-2.5-pro').price?.above?.[0]?.inputTokens).toBe(200_000);
  });

  it.each([
    ['a local server', 'http://127.0.0.1:8080/v1', 'gpt-4o'],
    ['another host that contains the name', 'https://models.example/api.openai.com/v1', 'gpt-4o'],
    ['a URL with the name in its user or query', 'https://api.openai.com@models.example/v1?x', 'gpt-4o'],
    ['an unknown model', 'https://api.openai.com/v1', 'gpt-of-another-time'],
    ['an invalid URL', 'nowhere', 'gpt-4o'],
  ])('are empty for %s', (_what, address, model) => {
    expect(find(address, model)).toEqual({});
  });

  it('have no price for a subscription', () => {
    const address = 'https://api.minimax.io/anthropic';
    expect(find(address, 'MiniMax-M2').price).toBeDefined();
    expect(find(address, 'MiniMax-M2', true).price).toBeUndefined();
    expect(find('https://open.bigmodel.cn/api/paas/v4', 'glm-5').price).toBeDefined();
    expect(find('https://open.bigmodel.cn/api/coding/paas/v4', 'glm-5').price).toBeUndefined();
    expect(find('https://api.githubcopilot.com', 'gpt-4o').price).toBeUndefined();
  });

  it('mark every subscription among the known providers as a plan', async () => {
    const providers = await loadProviders();
    const subscriptions = providers.filter(({ id, label }) => /plan|subscription/i.test(`${id} ${label}`));
    expect(subscriptions.length).toBeGreaterThan(4);
    for (const { id, plan } of subscriptions) expect([id, plan]).toEqual([id, true]);
  });
});

describe('a price of the price list', () => {
  const tiered = (base: number, ...tiers: { start: number; price: number }[]) => ({ base, tiers });

  it('has all rates of every threshold', () => {
    const price = readPrice({
      input_mtok: tiered(1, { start: 100, price: 2 }, { start: 300, price: 3 }),
      output_mtok: tiered(10, { start: 200, price: 20 }),
      cache_read_mtok: 0.5,
      requests_kcount: 5,
    });
    expect(price).toEqual({
      inputPerMillion: 1,
      outputPerMillion: 10,
      cachedInputPerMillion: 0.5,
      perRequest: 0.005,
      above: [
        { inputTokens: 100, rates: { inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 0.5 } },
        { inputTokens: 200, rates: { inputPerMillion: 2, outputPerMillion: 20, cachedInputPerMillion: 0.5 } },
        { inputTokens: 300, rates: { inputPerMillion: 3, outputPerMillion: 20, cachedInputPerMillion: 0.5 } },
      ],
    });
  });

  it('is unknown unless input and output text prices are both known', () => {
    expect(readPrice({ audio_hours: 0.36 })).toBeUndefined();
    expect(readPrice({ input_mtok: 0.02 })).toBeUndefined();
  });
});
