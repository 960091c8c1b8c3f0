import type {
  ApprovalAnswer,
  ApprovalInterrupt,
  Clock,
  ConversationPort,
  ErrorInfo,
  ModelParameters,
  RunJournal,
  ToolLedger,
  ToolMode,
  ToolReference,
} from '@toolyard/protocol';
import type { ContextSources } from '@toolyard/agent-runtime';
import type { ToolHost } from '@toolyard/mcp-host';
import type { ModelRuntime } from '@toolyard/model-runtime';

/** Puts a question to a person. Rejecting, or an aborted signal, counts as no. */
export type AskApproval = (interrupt: ApprovalInterrupt, options: { signal: AbortSignal }) => Promise<ApprovalAnswer>;

/**
 * Who answers what a run must ask.
 * - `person`: somebody waits beside the run and is asked one question after the other
 * - `park`: the questions are stored, nothing is held open, and the run goes on when they are answered
 * - `nobody`: what would need a person is not done
 */
export type Asking = { who: 'person'; ask: AskApproval } | { who: 'park' } | { who: 'nobody' };

/** All that the executors of one run work with. */
export type RunHost = {
  model: ModelRuntime;
  modelId: string;
  parameters: ModelParameters;
  toolMode: ToolMode;
  tools: ToolHost;
  conversation: ConversationPort;
  journal: RunJournal;
  ledger: ToolLedger;
  clock: Clock;
  /** Aborted when the run is to end. */
  signal: AbortSignal;
  contextSources: () => ContextSources;
  asking: Asking;
  /** Told what a person decided about a tool, beyond the one call, while the run waited for it. */
  remember: (tool: ToolReference, answer: ApprovalAnswer) => void;
  /** Asked right before a call is made: why it must not be, after all. The person may have said "never" meanwhile. */
  forbidden: (tool: ToolReference) => ErrorInfo | undefined | Promise<ErrorInfo | undefined>;
  /** True for a tool that may be called again although it may have been called already. */
  repeatable: (tool: ToolReference) => boolean;
};
