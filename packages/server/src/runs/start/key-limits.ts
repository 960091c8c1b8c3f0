import { matchesGlob } from '@toolyard/agent-runtime';
import type { ApiKeyLimits, AskedBy, Budget, ErrorInfo, Owner, Spent, ToolReference } from '@toolyard/protocol';
import {
  createErrorInfo,
  exhaustedMeasure,
  formatAmount,
  formatToolReference,
  mergeBudgets,
  say,
} from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { RunConfiguration, RunStarter } from '../worker/stored-run.ts';

const KEY = 'key:';

/** Whether what started a run still allows it: `revoked` stops it at once, `exhausted` before its next request. */
export type StarterCheck = { revoked: ErrorInfo | null; exhausted: ErrorInfo | null };

export function startedByKey(id: string): string {
  return `${KEY}${id}`;
}

export function startedByTrigger(id: string): string {
  return `trigger:${id}`;
}

/** What the requests of such a run say about who asks. */
export function toAskedBy(starter: RunStarter | undefined): AskedBy | undefined {
  return starter && { kind: starter.startedBy.startsWith(KEY) ? 'key' : 'trigger', name: starter.name };
}

/** Applies the limits of what starts a run to its configuration: they only reduce it. */
export function limitedBy(configuration: RunConfiguration, starter: RunStarter | undefined): RunConfiguration {
  if (starter === undefined) return configuration;
  const amounts = starter.limits?.budget?.run;
  const own = configuration.budgets.find(({ of }) => of === 'run');
  const budgets = amounts
    ? mergeBudgets(configuration.budgets, [{ of: 'run', ...smaller(own ?? {}, amounts) }])
    : configuration.budgets;
  return { ...configuration, budgets, starter };
}

type Amounts = Pick<Budget, 'dollars' | 'tokens' | 'calls'>;

function smaller(one: Amounts, other: Amounts): Amounts {
  const amounts: Amounts = {};
  for (const measure of ['dollars', 'tokens', 'calls'] as const) {
    const limit = Math.min(one[measure] ?? Infinity, other[measure] ?? Infinity);
    if (limit !== Infinity) amounts[measure] = limit;
  }
  return amounts;
}

/** Why a run must not use a tool that matches none of the patterns; undefined: it may use all. */
export function toolRefusal(
  patterns: ApiKeyLimits['tools'],
): ((tool: ToolReference) => ErrorInfo | undefined) | undefined {
  if (patterns === undefined) return undefined;
  return (tool) => {
    const name = formatToolReference(tool);
    if (patterns.some((pattern) => matchesGlob(pattern, name))) return undefined;
    return createErrorInfo({
      code: 'forbidden',
      message: say`The tool ${name} is not among those of the API key that started this run.`,
    });
  };
}

/** Reads whether the API key of a run was revoked, and the usage of its daily budget. */
export async function checkStarter(
  principal: Owner,
  { startedBy, name, limits }: RunStarter,
  at: number,
  { apiKeys, usage }: Pick<SharedStorage, 'apiKeys' | 'usage'>,
): Promise<StarterCheck> {
  const isOfKey = startedBy.startsWith(KEY);
  if (isOfKey && (await apiKeys.get(principal, startedBy.slice(KEY.length))) === null) {
    return { revoked: revokedKey(name), exhausted: null };
  }
  const amounts = limits?.budget?.day;
  if (amounts === undefined) return { revoked: null, exhausted: null };
  const spent = await usage.spentBy(principal, startedBy, at);
  return { revoked: null, exhausted: findExhaustion(name, amounts, spent) };
}

function findExhaustion(name: string, amounts: Amounts, spent: Spent): ErrorInfo | null {
  const measure = exhaustedMeasure(amounts, spent);
  if (measure === undefined) return null;
  const used = `${formatAmount(measure, spent[measure])} of ${formatAmount(measure, amounts[measure] ?? 0)}`;
  return createErrorInfo({
    code: 'budget_exceeded',
    message: say`The daily budget of the API key ${JSON.stringify(name)} is used up: ${used}.`,
    hint: say`It is available again tomorrow (UTC). To raise it, create another key.`,
  });
}

function revokedKey(name: string): ErrorInfo {
  return createErrorInfo({
    code: 'forbidden',
    message: say`The API key ${JSON.stringify(name)}, which started this run, was revoked.`,
    hint: say`Start the task again with another key.`,
  });
}
