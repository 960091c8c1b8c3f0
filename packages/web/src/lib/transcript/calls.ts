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

/** A tool call with everything that became of it. */
export type CallView = {
  callId: string;
  name: string;
  tool: ToolReference | null;
  /** What has been written of the arguments; used until {@link CallView.arguments} is there. */
  argumentsText: string;
  arguments: JsonObject | null;
  /** What a person made of them; null where they are as the model wrote them. */
  editedArguments: JsonObject | null;
  problem: ErrorInfo | null;
  /** A call written as text that could not be read. */
  malformed: { raw: string; reason: string } | null;
  started: boolean;
  /** Null where nobody watched it being sent. */
  startedAt: number | null;
  progress: CallProgress | null;
  /** What a person is asked about it now. */
  interrupt: CallInterrupt | null;
  /** What they are asked after that. */
  asksNext: readonly CallInterrupt[];
  /** What the person said last. */
  answer: InterruptAnswer | null;
  result: ToolResult | null;
  /** Null where nobody watched it. */
  durationMs: number | null;
  /** The run is over: what has no result will not get one. */
  over: boolean;
};

export type CallProgress = { progress: number; total?: number; text?: string; waitsFor?: readonly string[] };

/**
 * - `writing`: the model is writing the arguments
 * - `waiting`: it will be made
 * - the kind of a question: a person is asked
 * - `refused`: a person said no
 * - `not_made`: it never reached the tool, for another reason
 * - `unknown`: it was sent and nobody can say whether it took effect
 */
export type CallState =
  | 'writing'
  | 'waiting'
  | CallInterrupt['kind']
  | 'running'
  | 'done'
  | 'failed'
  | 'refused'
  | 'not_made'
  | 'unknown';

export function callState(call: CallView): CallState {
  const { result } = call;
  if (result !== null) {
    if (result.outcome === 'unknown') return 'unknown';
    if (!result.isError) return 'done';
    if (result.error?.code === 'tool_refused') return 'refused';
    return result.outcome === 'not_sent' && result.error?.code === 'cancelled' ? 'not_made' : 'failed';
  }
  if (call.malformed !== null) return 'failed';
  if (call.over) return call.started ? 'unknown' : 'not_made';
  if (call.interrupt !== null) return call.interrupt.kind;
  if (call.started) return 'running';
  return call.arguments === null ? 'writing' : 'waiting';
}

/** A call the model begins to write. */
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

/** The call as the model wrote it; what is known already of its fate is kept. */
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

/** The call with one more question, or with what one asks now. */
export function withQuestion(call: CallView, interrupt: CallInterrupt): CallView {
  if (call.interrupt === null || call.interrupt.id === interrupt.id) return { ...call, interrupt };
  return { ...call, asksNext: [...call.asksNext.filter(({ id }) => id !== interrupt.id), interrupt] };
}

/** The call without a question that nobody is asked any more. */
export function withoutQuestion(call: CallView, interruptId: string): CallView {
  const left = [...(call.interrupt === null ? [] : [call.interrupt]), ...call.asksNext].filter(
    ({ id }) => id !== interruptId,
  );
  const [interrupt = null, ...asksNext] = left;
  return { ...call, interrupt, asksNext };
}
