import type { RunEventBody } from './schemas/run-events.ts';

export type RunEventType = RunEventBody['type'];

/**
 * The events that every reader may ignore: they report progress, and no message or call is lost without them. A new event
 * compiles only if each reader handles it, names it in {@link ignoreEvent}, or it is listed here or in {@link FactEvent}.
 */
type ProgressEvent =
  | 'servers_awaited'
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

/** The `default` of a switch over events: compiles only if the remaining events are progress or named by the reader. */
export function ignoreEvent<Named extends RunEventType = never>(
  _event: Extract<RunEventBody, { type: ProgressEvent | NoInfer<Named> }>,
): void {}

/** The `default` of a switch that handles all events: only a newer server or tab sends others. */
export function ignoreUnknownEvent(_event: never): void {}
