import type { ReasoningEffort } from '@toolyard/protocol';

/** What is known of a model that is asked over this wire. */
export type AnthropicModelFacts = {
  /** `budget`: told how many tokens to think; `adaptive`: told how hard to try. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** The levels of trying it knows; empty where it has only a budget. */
  efforts: readonly Exclude<ReasoningEffort, 'minimal' | 'none'>[];
  /** False: it refuses temperature, top-p and top-k outright. */
  sampling: boolean;
  /** How much it may write where nobody says; the API wants a number. */
  maxTokens: number;
};

/**
 * From https://platform.claude.com/docs/en/build-with-claude/thinking and the pages of the models, by the version from
 * which on it holds. What is wrong or missing here costs one refused request, which is then remembered.
 */
const GENERATIONS: readonly { from: number; facts: AnthropicModelFacts }[] = [
  {
    from: 4.7,
    facts: {
      thinking: 'adaptive',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      sampling: false,
      maxTokens: 64_000,
    },
  },
  {
    from: 4.6,
    facts: { thinking: 'adaptive', efforts: ['low', 'medium', 'high', 'max'], sampling: true, maxTokens: 64_000 },
  },
  { from: 3.7, facts: { thinking: 'budget', efforts: [], sampling: true, maxTokens: 32_000 } },
  { from: 3.5, facts: { thinking: 'none', efforts: [], sampling: true, maxTokens: 8_192 } },
  { from: 0, facts: { thinking: 'none', efforts: [], sampling: true, maxTokens: 4_096 } },
];

/** Models of others that speak this API know its older form of thinking. */
const FOREIGN: AnthropicModelFacts = { thinking: 'budget', efforts: [], sampling: true, maxTokens: 16_384 };

/** What is known of a model by its name. */
export function factsOf(model: string): AnthropicModelFacts {
  if (!/claude/i.test(model)) return FOREIGN;
  // A name without a version is newer than the versions we know of.
  const version = versionOf(model) ?? Number.POSITIVE_INFINITY;
  return GENERATIONS.find(({ from }) => version >= from)?.facts ?? FOREIGN;
}

/** `claude-opus-4-5-20251101` is 4.5, `claude-3-7-sonnet-latest` 3.7, `claude-sonnet-5` 5; a date is no version. */
function versionOf(model: string): number | null {
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?(?!\d)/i.exec(model);
  return found === null ? null : Number(`${found[1]}.${found[2] ?? 0}`);
}

/** How many tokens a model told by budget may think at each level. */
export const BUDGETS: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 60_000,
};
