import type { AgentState, DelegableTask, DelegatedTask } from '@toolyard/agent-runtime';
import type { AssistantMessage, ErrorInfo, RunStatus } from '@toolyard/protocol';

/** What a sub-agent returned. `text` is its last answer, which may be partial unless it is `done`. */
export type SubAgentResult = { title: string; text: string } & (
  | { status: 'done'; runId: string; conversationId: string }
  | { status: Exclude<RunStatus, 'done'>; runId: string; conversationId: string; error?: ErrorInfo }
  /** It could not be started. */
  | { status: 'refused'; error: ErrorInfo }
);

/** The last answer of a member. `handedBack`: it gave the conversation back to its group. */
export type MemberAnswer = { message: AssistantMessage; handedBack: boolean };

/** Tasks to start child runs for. */
export type StartSubAgents = {
  callId: string;
  /** Tasks that the same call has delegated before: ids are derived from the call and the number of the task. */
  before: number;
  /** Of the parent run. */
  state: AgentState;
  tools: readonly { name: string; tool: { serverId: string; name: string } }[];
  /** The message of the conversation before the one that delegates the tasks; null for the first one. */
  leafId: string | null;
  /** The message that delegates the tasks. */
  callMessageId: string | null;
  /** The summary of the conversation, if a task needs one. */
  summary: string | null;
};

/** Starts child runs and reads their results. */
export type SubAgents = {
  /** Starts one run per task. Idempotent: called again with the same call, it finds the runs. */
  start(tasks: readonly DelegableTask[], of: StartSubAgents): Promise<DelegatedTask[]>;
  /** The results of child runs that are over, in the order of the tasks. */
  results(children: readonly DelegatedTask[]): Promise<SubAgentResult[]>;
  /** The last answers of child runs that are over, which may be partial; null for one without. */
  answers(runIds: readonly string[]): Promise<(MemberAnswer | null)[]>;
};
