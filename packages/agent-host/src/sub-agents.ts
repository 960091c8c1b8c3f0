import type { AgentState, DelegatedTask } from '@toolyard/agent-runtime';
import type { ErrorInfo, RunStatus, SubAgentTask } from '@toolyard/protocol';

/** What a sub-agent returned. `text` is its last answer, which may be partial unless it is `done`. */
export type SubAgentResult = { title: string; text: string } & (
  | { status: 'done'; runId: string; conversationId: string }
  | { status: Exclude<RunStatus, 'done'>; runId: string; conversationId: string; error?: ErrorInfo }
  /** It could not be started. */
  | { status: 'refused'; error: ErrorInfo }
);

export type StartSubAgents = {
  callId: string;
  /** Tasks that the same call has delegated before: ids are derived from the call and the number of the task. */
  before: number;
  /** Of the parent run. */
  state: AgentState;
  tools: readonly { name: string; tool: { serverId: string; name: string } }[];
  /** The message of the conversation before the one that delegates the tasks; null for the first one. */
  leafId: string | null;
  /** The summary of the conversation, if a task needs one. */
  summary: string | null;
};

/** Starts child runs and reads their results. */
export type SubAgents = {
  /** Starts one run per task. Idempotent: called again with the same call, it finds the runs. */
  start(tasks: readonly SubAgentTask[], of: StartSubAgents): Promise<DelegatedTask[]>;
  /** The results of child runs that are over, in the order of the tasks. */
  results(children: readonly DelegatedTask[]): Promise<SubAgentResult[]>;
};
