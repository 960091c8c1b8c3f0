import type {
  CallInterrupt,
  ErrorInfo,
  InterruptAnswer,
  JsonObject,
  MalformedToolCallPart,
  ToolCallPart,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';

/** A tool call with its state and result. */
export type CallView = {
  callId: string;
  name: string;
  tool: ToolReference | null;
  /** The arguments streamed so far; used until {@link CallView.arguments} is set. */
  argumentsText: string;
  arguments: JsonObject | null;
  /** Arguments edited by a user; null if they are those of the model. */
  editedArguments: JsonObject | null;
  problem: ErrorInfo | null;
  /** A text tool call that could not be parsed. */
  malformed: { raw: string; reason: string } | null;
  started: boolean;
  /** Null if its start was not observed. */
  startedAt: number | null;
  progress: CallProgress | null;
  /** The current interrupt. */
  interrupt: CallInterrupt | null;
  /** The interrupts after that. */
  asksNext: readonly CallInterrupt[];
  /** The last answer of the user. */
  answer: InterruptAnswer | null;
  result: ToolResult | null;
  /** Null if it was not observed. */
  durationMs: number | null;
  /** The run has ended: without a result it will not get one. */
  over: boolean;
};

export type CallProgress = { progress: number; total?: number; text?: string; waitsFor?: readonly string[] };

/** A call whose arguments begin to stream. */
export function startedCall(callId: string, name: string): CallView {
  return {
    callId,
    name,
    tool: null,
    argumentsText: '',
    arguments: null,
    editedArguments: null,
    problem: null,
    malformed: null,
    started: false,
    startedAt: null,
    progress: null,
    interrupt: null,
    asksNext: [],
    answer: null,
    result: null,
    durationMs: null,
    over: false,
  };
}

/** The call with the final arguments of the model; its known state stays. */
export function readyCall(part: ToolCallPart, before?: CallView): CallView {
  return {
    ...(before ?? startedCall(part.callId, part.name)),
    name: part.name,
    tool: part.tool,
    arguments: part.arguments,
    problem: part.problem ?? null,
  };
}

export function malformedCall(part: MalformedToolCallPart, before?: CallView): CallView {
  return { ...(before ?? startedCall(part.callId, '')), malformed: { raw: part.raw, reason: part.reason } };
}

/** The call with an interrupt added or updated. */
export function withInterrupt(call: CallView, interrupt: CallInterrupt): CallView {
  if (call.interrupt === null || call.interrupt.id === interrupt.id) return { ...call, interrupt };
  return { ...call, asksNext: [...call.asksNext.filter(({ id }) => id !== interrupt.id), interrupt] };
}

/** The call without a closed interrupt. */
export function withoutInterrupt(call: CallView, interruptId: string): CallView {
  const left = [...(call.interrupt === null ? [] : [call.interrupt]), ...call.asksNext].filter(
    ({ id }) => id !== interruptId,
  );
  const [interrupt = null, ...asksNext] = left;
  return { ...call, interrupt, asksNext };
}
