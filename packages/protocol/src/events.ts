import type { ErrorInfo } from './errors.ts';
import type { Interrupt, InterruptAnswer } from './interrupts.ts';
import type { JsonObject } from './json.ts';
import type { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from './messages.ts';
import type { ModelRequestRecord } from './model-requests.ts';
import type { MalformedToolCallPart, ToolCallPart, ToolResult } from './parts.ts';
import type { ToolReference } from './tools.ts';
import type { Usage } from './usage.ts';

/** Where a run executes. */
export type Place = 'server' | 'browser' | 'process';

export type RunStatus = 'queued' | 'running' | 'parked' | 'waiting_for_tab' | 'done' | 'failed' | 'cancelled';

/** The instructions of the loop; each one carried out and committed is a step. */
export type InstructionType =
  | 'call_llm'
  | 'call_tool'
  | 'call_tools_batch'
  | 'compress_context'
  | 'request_human_approve'
  | 'request_human_prompt'
  | 'request_human_select'
  | 'request_human_budget'
  | 'resolve_aborted_tools'
  | 'finish';

/**
 * What happens in a run, without its envelope. The union is closed: every reader (terminal, page, telemetry) switches over
 * it exhaustively, and a new member is a deliberate change to each of them.
 *
 * A reader who applies the events in order of `seq` has the transcript: `message_finished` and `tool_finished` carry
 * the whole of what the deltas before them spelled out, so that deltas can be dropped once a run is over.
 */
export type RunEventBody =
  | { type: 'run_started'; conversationId: string; place: Place; model: string; message: UserMessage }
  | { type: 'step_started'; instruction: InstructionType }
  /** The person said something to the run while it was under way: it stands in the conversation from here on. */
  | { type: 'steered'; message: UserMessage }
  /** What the model is sent for the message that comes next, as far as it has to be told to be shown again. */
  | { type: 'request_made'; messageId: string; request: ModelRequestRecord }
  | { type: 'message_started'; messageId: string; parentId: string | null; model: string }
  | { type: 'text_delta'; messageId: string; text: string }
  | { type: 'reasoning_delta'; messageId: string; text: string }
  | { type: 'tool_call_started'; messageId: string; callId: string; name: string }
  | { type: 'tool_call_delta'; messageId: string; callId: string; argumentsText: string }
  | { type: 'tool_call_ready'; messageId: string; call: ToolCallPart }
  | { type: 'tool_call_malformed'; messageId: string; call: MalformedToolCallPart }
  | { type: 'message_finished'; message: AssistantMessage }
  /**
   * The process that carried out this step died, and another goes on from the last committed one. What this attempt
   * wrote of an answer stays, marked: `messageId` names it, null where there was none. Calls already answered stay so.
   */
  | { type: 'attempt_abandoned'; messageId: string | null }
  /** `live`: asked in the middle of a call that goes on meanwhile; the run does not park. */
  | { type: 'interrupt_requested'; interrupt: Interrupt; live?: true }
  | { type: 'interrupt_answered'; interruptId: string; answer: InterruptAnswer }
  /** Nobody waits for an answer any more. */
  | { type: 'interrupt_withdrawn'; interruptId: string }
  /** `editedArguments`: what a person made of the arguments the model had asked for. */
  | { type: 'tool_started'; callId: string; tool: ToolReference; name: string; editedArguments?: JsonObject }
  /** `waitsFor`: the call was not sent yet; its server is busy with calls of these conversations, one's own alone. */
  | { type: 'tool_progress'; callId: string; progress: number; total?: number; text?: string; waitsFor?: string[] }
  | { type: 'tool_finished'; callId: string; result: ToolResult; message: ToolMessage; durationMs: number }
  /** Nothing goes on until a person has answered the open interrupts. */
  | { type: 'run_parked' }
  | { type: 'run_resumed' }
  /** The conversation has grown too long for the model: its older part is being summed up. */
  | { type: 'compression_started'; messages: number }
  /** `message` stands from now on for what it folds; the folded messages stay where they are. */
  | { type: 'compression_finished'; message: SystemMessage; usage?: Usage }
  /** The model could not sum it up; the run goes on with the conversation as it is. */
  | { type: 'compression_failed'; error: ErrorInfo }
  | { type: 'notice'; level: 'info' | 'warning'; code: string; text: string }
  | {
      type: 'run_finished';
      status: 'done' | 'failed' | 'cancelled';
      usage: Usage;
      /** US dollars; absent where a price or a usage is unknown. */
      cost?: number;
      error?: ErrorInfo;
    };

export type RunEventType = RunEventBody['type'];

/**
 * The events that every reader may ignore: they report progress, and no message or call is lost without them. A new event
 * compiles only if each reader handles it, names it in {@link ignoreEvent}, or it is listed here or in {@link FactEvent}.
 */
type ProgressEvent =
  | 'step_started'
  | 'request_made'
  | 'message_started'
  | 'text_delta'
  | 'reasoning_delta'
  | 'tool_call_started'
  | 'tool_call_delta'
  | 'tool_progress'
  | 'run_parked'
  | 'run_resumed'
  | 'compression_started'
  | 'compression_failed'
  | 'notice';

/** The events that state what happened: a reader ignores them by name, or all of them with `FactEvent`. */
export type FactEvent =
  | 'run_started'
  | 'steered'
  | 'tool_call_ready'
  | 'tool_call_malformed'
  | 'message_finished'
  | 'attempt_abandoned'
  | 'interrupt_requested'
  | 'interrupt_answered'
  | 'interrupt_withdrawn'
  | 'tool_started'
  | 'tool_finished'
  | 'compression_finished'
  | 'run_finished';

/** The `default` of a switch over events: compiles only if all that is left is progress, or named by the reader. */
export function ignoreEvent<Named extends RunEventType = never>(
  _event: Extract<RunEventBody, { type: ProgressEvent | NoInfer<Named> }>,
): void {}

/** The `default` of a switch that handles all events: only a newer server or tab sends another one. */
export function ignoreUnknownEvent(_event: never): void {}

/** The version of the envelope and of the union. */
export const RUN_EVENT_VERSION = 1;

export type RunEventEnvelope = {
  v: typeof RUN_EVENT_VERSION;
  /** Per run, from 1, without gaps. */
  seq: number;
  runId: string;
  /** The step that emitted it, from 0. */
  step: number;
  /** Which try of that step, from 1; a step is tried again after a crash. */
  attempt: number;
  /** Milliseconds since 1970. */
  at: number;
};

export type RunEvent = RunEventEnvelope & RunEventBody;
