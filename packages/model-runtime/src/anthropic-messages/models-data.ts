import type { ReasoningEffort } from '@toolyard/protocol';

/** Static facts about a model of this wire. */
export type AnthropicModelTraits = {
  /** `budget`: thinking takes a token budget; `adaptive`: thinking takes an effort level. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** The effort levels the model accepts; empty if it accepts only a budget. */
  efforts: readonly Exclude<ReasoningEffort, 'minimal' | 'none'>[];
  /** False if the model rejects temperature, top-p and top-k. */
  sampling: boolean;
  /** Default for `max_tokens`, which the API requires. */
  maxTokens: number;
};

/**
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking and the pages of the models; each row applies
 * from its version on. A wrong or missing row costs one rejected request; the outcome is then remembered.
 */
const GENERATIONS: readonly { from: number; traits: AnthropicModelTraits }[] = [
  {
    from: 4.7,
    traits: {
      thinking: 'adaptive',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      sampling: false,
      maxTokens: 64_000,
    },
  },
  {
    from: 4.6,
    traits: { thinking: 'adaptive', efforts: ['low', 'medium', 'high', 'max'], sampling: true, maxTokens: 64_000 },
  },
  { from: 3.7, traits: { thinking: 'budget', efforts: [], sampling: true, maxTokens: 32_000 } },
  { from: 3.5, traits: { thinking: 'none', efforts: [], sampling: true, maxTokens: 8_192 } },
  { from: 0, traits: { thinking: 'none', efforts: [], sampling: true, maxTokens: 4_096 } },
];

/** Models of other vendors behind this API support its older form of thinking. */
const FOREIGN: AnthropicModelTraits = { thinking: 'budget', efforts: [], sampling: true, maxTokens: 16_384 };

/** Looks up the facts of a model by its name. */
export function getModelTraits(model: string): AnthropicModelTraits {
  if (!/claude/i.test(model)) return FOREIGN;
  // A name without a version is assumed to be newer than the versions listed here.
  const version = readVersion(model) ?? Number.POSITIVE_INFINITY;
  return GENERATIONS.find(({ from }) => version >= from)?.traits ?? FOREIGN;
}

/** `claude-opus-4-5-20251101` is 4.5, `claude-3-7-sonnet-latest` 3.7, `claude-sonnet-5` 5; a date is not a version. */
function readVersion(model: string): number | null {
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?(?!\d)/i.exec(model);
  return found === null ? null : Number(`${found[1]}.${found[2] ?? 0}`);
}

/** Thinking budget in tokens for each effort level. */
export const BUDGETS: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 60_000,
};
