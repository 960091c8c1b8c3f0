import type { ApiKeyLimits, RateLimit, ToolyardError } from '@toolyard/protocol';
import { defined, formatAmount } from '@toolyard/protocol';
import { findAgent } from '../server/find-by-name.ts';
import type { ServerClient } from '../server/server-client.ts';
import { createConfigError } from '../errors.ts';

export type KeyLimitFlags = {
  agent?: string[];
  tool?: string[];
  budgetRun?: string;
  budgetDay?: string;
  rate?: string;
};

type Amounts = NonNullable<NonNullable<ApiKeyLimits['budget']>['run']>;

const UNITS = { usd: 'dollars', tokens: 'tokens', calls: 'calls' } as const;

/** The limits that the flags of `toolyard keys create` name; undefined without any. */
export async function readKeyLimits(client: ServerClient, flags: KeyLimitFlags): Promise<ApiKeyLimits | undefined> {
  const { agent = [], tool = [], budgetRun, budgetDay, rate } = flags;
  const agents: string[] = [];
  for (const name of agent) agents.push((await findAgent(client, name)).id);
  const run = budgetRun === undefined ? undefined : readAmounts('--budget-run', budgetRun);
  const day = budgetDay === undefined ? undefined : readAmounts('--budget-day', budgetDay);
  const limits: ApiKeyLimits = {
    ...(agents.length > 0 ? { agents } : {}),
    ...(tool.length > 0 ? { tools: tool } : {}),
    ...(run || day ? { budget: defined({ run, day }) } : {}),
    ...(rate === undefined ? {} : { rate: readRate(rate) }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** In one line: `agents writer; tools left/*; $0.50 per run; 5 runs per minute`. */
export function describeLimits({ agents, tools, budget, rate }: ApiKeyLimits): string {
  const amounts = (of: Amounts | undefined, span: string): string[] =>
    (['dollars', 'tokens', 'calls'] as const).flatMap((measure) => {
      const limit = of?.[measure];
      return limit === undefined ? [] : [`${formatAmount(measure, limit)} per ${span}`];
    });
  return [
    ...(agents ? [`agents ${agents.join(', ')}`] : []),
    ...(tools ? [tools.length === 0 ? 'no tools' : `tools ${tools.join(', ')}`] : []),
    ...amounts(budget?.run, 'run'),
    ...amounts(budget?.day, 'day'),
    ...(rate?.perMinute === undefined ? [] : [`${rate.perMinute} runs per minute`]),
    ...(rate?.perDay === undefined ? [] : [`${rate.perDay} runs per day`]),
  ].join('; ');
}

function readAmounts(flag: string, text: string): Amounts {
  const amounts: Amounts = {};
  for (const part of text.split(',')) {
    const [, number = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(usd|tokens|calls)\s*$/i.exec(part) ?? [];
    const name = Object.entries(UNITS).find(([key]) => key === unit.toLowerCase())?.[1];
    if (name === undefined || Number(number) === 0) {
      throw createBadFlagError(flag, part, 'Use amounts in usd, tokens or calls: 0.50usd,20000tokens,10calls.');
    }
    amounts[name] = Number(number);
  }
  return amounts;
}

function readRate(text: string): RateLimit {
  const rate: RateLimit = {};
  for (const part of text.split(',')) {
    const [, number = '0', span = ''] = /^\s*(\d+)\s*\/\s*(minute|day)\s*$/i.exec(part) ?? [];
    if (Number(number) === 0) throw createBadFlagError('--rate', part, 'Use runs per minute or day: 5/minute,100/day.');
    rate[span.toLowerCase() === 'day' ? 'perDay' : 'perMinute'] = Number(number);
  }
  return rate;
}

function createBadFlagError(flag: string, part: string, hint: string): ToolyardError {
  return createConfigError(`${flag}: invalid value "${part.trim()}".`, hint);
}
