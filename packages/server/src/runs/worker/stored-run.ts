import type { StoredRun } from '@toolyard/agent-host/durable';
import { RunLost } from '@toolyard/agent-host/durable';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type {
  ApiKeyLimits,
  Budget,
  AssistantMessage,
  GroupCallKind,
  GroupDefinition,
  JsonValue,
  LeasedRun,
  ModelReference,
  ResolvedAgentConfiguration,
} from '@toolyard/protocol';
import { isJsonObject, ToolyardError, say } from '@toolyard/protocol';

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
  const version = readVersion(stored);
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
  // Only this package writes these columns, and the version determines their format.
  return { ...(stored as unknown as StoredRun), configuration: configuration as unknown as RunConfiguration };
}

function isStoredRun(stored: JsonValue | null): boolean {
  if (!isJsonObject(stored) || typeof stored['leafId'] !== 'string' || typeof stored['shownId'] !== 'string') {
    return false;
  }
  return isJsonObject(stored['point']) && isJsonObject(stored['point']['context']) && readVersion(stored) !== null;
}

/** Null without a version. */
function readVersion(stored: JsonValue | null): number | null {
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
