import type { StoredRun } from '@toolyard/agent-host/durable';
import { RunLost } from '@toolyard/agent-host/durable';
import type { AgentState } from '@toolyard/agent-runtime';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type {
  ApiKeyLimits,
  Budget,
  AssistantMessage,
  GroupCallKind,
  GroupDefinition,
  JsonObject,
  JsonValue,
  LeasedRun,
  ModelReference,
  ResolvedAgentConfiguration,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, isJsonObject, ZERO_SPENT, ToolyardError, say } from '@toolyard/protocol';

/** What a child run has of the runs above it, the nearest last. */
export type SubAgentOrigin = {
  /** Their conversations: decisions about tools made there apply to the child as well. */
  conversations: string[];
  /** Ids of their agents, and its own: none of them can be delegated to again. */
  agents: string[];
  /** Branches of their conversations that its context begins with. */
  inherits: { conversationId: string; leafId: string }[];
  /** Budgets of whole trees: that of a run or a conversation above. */
  budgets: { budget: Budget; runId: string; conversationId: string }[];
  /** Set for the turn of a member of a group: what it inherits is what this member may see. */
  member?: { agentId: string; kind: GroupCallKind };
};

/** What started a run, if it was not the user. */
export type RunStarter = {
  /** `key:<id>` or `trigger:<id>` */
  startedBy: string;
  /** Name of the API key or title of the incoming webhook, for errors. */
  name: string;
  /** Limits of the key; they also apply to sub-agents. */
  limits?: ApiKeyLimits;
};

/** Configuration of a run, resolved once when the user sends the message. */
export type RunConfiguration = ResolvedAgentConfiguration & {
  model: ModelReference;
  subAgent?: SubAgentOrigin;
  /** Set for the run of a group: the group as it was when the run started. */
  group?: GroupOfRun;
  starter?: RunStarter;
};

export type GroupOfRun = GroupDefinition & { id: string; title: string };

/**
 * @throws RunLost `newer` for a state of a newer version, which can resume it
 * @throws ToolyardError for any other invalid state, which nothing can resume
 */
export function readStoredRun(
  run: Pick<LeasedRun, 'state' | 'configuration'>,
): StoredRun & { configuration: RunConfiguration } {
  const { state: stored, configuration } = run;
  const version = versionOf(stored);
  if (version !== null && version > STATE_SCHEMA_VERSION) {
    const known = `its state has version ${version}, but this Toolyard supports ${STATE_SCHEMA_VERSION}`;
    throw new RunLost('newer', `it was started by a newer Toolyard (${known}), which has to resume it`);
  }
  if (!isStoredRun(stored) || !isJsonObject(configuration) || !isJsonObject(configuration['model'])) {
    throw new ToolyardError({
      code: 'internal',
      message: say`This run was started by another version of Toolyard and cannot be resumed.`,
      hint: say`Send the message again; the conversation is intact.`,
    });
  }
  // Only this package writes these columns, and the version determines their format. Rules, budgets and
  // the limit of depth were added later.
  const { budgets = budgetsBefore(configuration), limits } = configuration;
  const known = { ...DEFAULT_LIMITS, ...(isJsonObject(limits) ? limits : {}) };
  const whole = {
    interventionRules: [],
    ...configuration,
    budgets,
    limits: known,
  } as unknown as RunConfiguration;
  const { point, ...rest } = stored as unknown as StoredRun;
  return { ...rest, point: { ...point, state: withSpent(point.state) }, configuration: whole };
}

/** Earlier versions stored the budget of a run among its limits. */
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

/** Null without a version. */
function versionOf(stored: JsonValue | null): number | null {
  const point = isJsonObject(stored) ? stored['point'] : null;
  const state = isJsonObject(point) ? point['state'] : null;
  const version = isJsonObject(state) ? state['schemaVersion'] : null;
  return typeof version === 'number' && version >= 1 ? version : null;
}

/** Placeholder of the answer, at its position in the conversation. */
export function placeholder(
  of: Pick<AssistantMessage, 'id' | 'runId' | 'model' | 'agent' | 'createdAt'> & { parentId: string },
): AssistantMessage & { parts: []; finishReason: 'pending' } {
  return { ...of, role: 'assistant', parts: [], finishReason: 'pending' };
}
