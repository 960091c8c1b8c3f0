import type { StoredRun } from '@toolyard/agent-host/durable';
import { RunLost } from '@toolyard/agent-host/durable';
import type { AgentState } from '@toolyard/agent-runtime';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type { JsonObject, JsonValue, LeasedRun, ModelReference, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { isJsonObject, ZERO_SPENT, ToolyardError } from '@toolyard/protocol';

/** What a run is started with: resolved once, when the person sends. */
export type RunConfiguration = ResolvedAgentConfiguration & { model: ModelReference };

/**
 * @throws RunLost `newer` for a state a newer version wrote: that one can go on with it.
 * @throws ToolyardError for anything else that is no state of ours: nothing can be made of it.
 */
export function readStoredRun(run: LeasedRun): StoredRun & { configuration: RunConfiguration } {
  const { state: stored, configuration } = run;
  const version = versionOf(stored);
  if (version !== null && version > STATE_SCHEMA_VERSION) {
    const known = `its state has version ${version}, and this one knows ${STATE_SCHEMA_VERSION}`;
    throw new RunLost('newer', `it was begun by a newer Toolyard (${known}) and is left to that one`);
  }
  if (!isStoredRun(stored) || !isJsonObject(configuration) || !isJsonObject(configuration['model'])) {
    throw new ToolyardError({
      code: 'internal',
      message: 'This run was begun by another version of Toolyard and cannot be taken up.',
      hint: 'Ask again: the conversation is whole.',
    });
  }
  // Only this room writes these columns, and the version says in what form. Rules and budgets came later than the rest.
  const { budgets = budgetsBefore(configuration) } = configuration;
  const whole = { interventionRules: [], ...configuration, budgets } as unknown as RunConfiguration;
  const { point, ...rest } = stored as unknown as StoredRun;
  return { ...rest, point: { ...point, state: withSpent(point.state) }, configuration: whole };
}

/** What a run might cost stood among its limits once. */
function budgetsBefore({ limits }: JsonObject): JsonValue {
  const dollars = isJsonObject(limits) ? limits['maxCost'] : undefined;
  return typeof dollars === 'number' ? [{ of: 'run', dollars }] : [];
}

function withSpent(state: AgentState | Omit<AgentState, 'spent' | 'raised'>): AgentState {
  if ('spent' in state) return state;
  const tokens = (state.usage.inputTokens ?? 0) + (state.usage.outputTokens ?? 0);
  const run = { dollars: state.cost ?? 0, tokens, calls: state.turns, unpriced: state.cost === null ? state.turns : 0 };
  return { ...state, spent: { run, turn: ZERO_SPENT }, raised: [] };
}

function isStoredRun(stored: JsonValue | null): boolean {
  if (!isJsonObject(stored) || typeof stored['leafId'] !== 'string' || typeof stored['shownId'] !== 'string') {
    return false;
  }
  return isJsonObject(stored['point']) && isJsonObject(stored['point']['context']) && versionOf(stored) !== null;
}

/** Null where there is none. */
function versionOf(stored: JsonValue | null): number | null {
  const point = isJsonObject(stored) ? stored['point'] : null;
  const state = isJsonObject(point) ? point['state'] : null;
  const version = isJsonObject(state) ? state['schemaVersion'] : null;
  return typeof version === 'number' && version >= 1 ? version : null;
}

/** The answer that is yet to be written: it shows where it will stand. */
export function placeholder(of: { id: string; parentId: string; runId: string; model: string; createdAt: number }): {
  role: 'assistant';
  parts: [];
  finishReason: 'pending';
  id: string;
  parentId: string;
  runId: string;
  model: string;
  createdAt: number;
} {
  return { ...of, role: 'assistant', parts: [], finishReason: 'pending' };
}
