import type {
  ApprovalAnswer,
  ApprovalInterrupt,
  Clock,
  ConversationPort,
  ModelParameters,
  RunJournal,
  ToolMode,
} from '@toolyard/protocol';
import type { ContextSources } from '@toolyard/agent-runtime';
import type { ToolHost } from '@toolyard/mcp-host';
import type { ModelRuntime } from '@toolyard/model-runtime';

/** Puts a question to a person. Rejecting, or an aborted signal, counts as no. */
export type AskApproval = (interrupt: ApprovalInterrupt, options: { signal: AbortSignal }) => Promise<ApprovalAnswer>;

/** All that the executors of one run work with. */
export type RunHost = {
  model: ModelRuntime;
  modelId: string;
  parameters: ModelParameters;
  toolMode: ToolMode;
  tools: ToolHost;
  conversation: ConversationPort;
  journal: RunJournal;
  clock: Clock;
  /** Aborted when the run is to end. */
  signal: AbortSignal;
  contextSources: () => ContextSources;
  /** Absent where there is nobody to ask. */
  ask?: AskApproval;
  /** Told when a person allows a tool for the rest of the conversation. */
  allow: (toolReference: string) => void;
};
