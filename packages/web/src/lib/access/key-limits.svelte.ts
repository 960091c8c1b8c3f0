import type { ApiKeyLimits } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import { itemsIn } from '../ui/items-in.ts';

type Amounts = NonNullable<NonNullable<ApiKeyLimits['budget']>['run']>;

/** The limits of a new key, as its form has them. */
export class KeyLimits {
  on = $state(false);
  agents = $state<string[]>([]);
  /** One pattern per line. */
  tools = $state('');
  dollarsPerRun = $state('');
  dollarsPerDay = $state('');
  runsPerMinute = $state('');
  runsPerDay = $state('');

  /** Fields whose text is not a positive number. */
  get wrong(): readonly string[] {
    const isAmount = (text: string): boolean => text.trim() === '' || Number(text) > 0;
    const isCount = (text: string): boolean => text.trim() === '' || /^[1-9]\d{0,6}$/.test(text.trim());
    return [
      ...(['dollarsPerRun', 'dollarsPerDay'] as const).filter((name) => !isAmount(this[name])),
      ...(['runsPerMinute', 'runsPerDay'] as const).filter((name) => !isCount(this[name])),
    ];
  }

  /** Undefined if nothing is limited. */
  get value(): ApiKeyLimits | undefined {
    if (!this.on) return undefined;
    const amount = (text: string): Amounts | undefined => nonEmpty(defined({ dollars: count(text) }));
    return nonEmpty(
      defined({
        agents: nonEmpty([...this.agents]),
        tools: nonEmpty(itemsIn(this.tools)),
        budget: nonEmpty(defined({ run: amount(this.dollarsPerRun), day: amount(this.dollarsPerDay) })),
        rate: nonEmpty(defined({ perMinute: count(this.runsPerMinute), perDay: count(this.runsPerDay) })),
      }),
    );
  }
}

/** What a key is limited to, one fact each. `getName`: the name of an agent. */
export function listLimits(limits: ApiKeyLimits | null, getName: (agentId: string) => string): string[] {
  if (limits === null) return [];
  const { agents, tools, budget, rate } = limits;
  return [
    ...(agents ? [t('access.limitAgents', { agents: agents.map(getName).join(', ') })] : []),
    ...(tools
      ? [tools.length === 0 ? t('access.limitNoTools') : t('access.limitTools', { tools: tools.join(', ') })]
      : []),
    ...listAmounts(budget?.run).map((amount) => t('access.limitPerRun', { amount })),
    ...listAmounts(budget?.day).map((amount) => t('access.limitPerDay', { amount })),
    ...(rate?.perMinute === undefined ? [] : [t('access.limitRunsPerMinute', { count: rate.perMinute })]),
    ...(rate?.perDay === undefined ? [] : [t('access.limitRunsPerDay', { count: rate.perDay })]),
  ];
}

function listAmounts(amounts: Amounts | undefined): string[] {
  if (amounts === undefined) return [];
  return [
    ...(amounts.dollars === undefined ? [] : [`$${amounts.dollars}`]),
    ...(amounts.tokens === undefined ? [] : [t('access.limitTokens', { count: amounts.tokens })]),
    ...(amounts.calls === undefined ? [] : [t('access.limitCalls', { count: amounts.calls })]),
  ];
}

function nonEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

function count(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}
