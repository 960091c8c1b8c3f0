import { z } from 'zod';
import { RUN_EVENT_VERSION } from '../event-version.ts';
import { errorInfo, jsonObject, named, namedObject, textTemplates, timestamp, toolReference } from './common.ts';
import { modelParameters } from './configuration.ts';
import { instruction } from './instructions.ts';
import { assistantMessage, systemMessage, toolMessage, usage, userMessage } from './messages.ts';
import { assistantPart, malformedToolCallPart, toolCallPart, toolResult } from './parts.ts';
import { interrupt, interruptAnswer, ofRun } from './runs.ts';

/** An event of a run: the envelope with its place in the stream, and the content. `help` is shown in the reference. */
function event<const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, help: string, shape: Shape) {
  const schema = z.strictObject({
    v: z.literal(RUN_EVENT_VERSION),
    seq: z.int().positive(),
    runId: z.string(),
    step: z.int(),
    attempt: z.int(),
    at: timestamp,
    type: z.literal(type),
    ...shape,
  });
  return schema.describe(help);
}

const { id: messageId, parentId, model, agent } = assistantMessage.shape;
const tokens = z.int();
export const contextFill = z.strictObject({
  /** The whole request. */
  tokens,
  /** The model's context window; `assumed` if the model does not report it. */
  window: tokens,
  assumed: z.literal(true).exactOptional(),
  /**
   * Parts of `tokens`: instructions (including those of servers), tool definitions, tool results, and everything else.
   */
  parts: z.strictObject({ instructions: tokens, tools: tokens, results: tokens, messages: tokens }),
});
/** How full the model's context window is, in tokens: an estimate, corrected by the usage of earlier requests. */
export type ContextFill = z.output<typeof contextFill>;
export const modelRequest = namedObject('ModelRequestRecord', {
  model: z.string(),
  /** The last message of the conversation in the request; null if there was none. */
  leafId: z.string().nullable(),
  toolChoice: z.enum(['auto', 'none']),
  toolMode: z.enum(['native', 'text']),
  parameters: modelParameters,
  /** When the request was assembled, in milliseconds since 1970; placeholders for the date use it. */
  at: timestamp,
  timeZone: z.string(),
  /** Input that the model accepts, if known. */
  inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
  /** Id of the stored {@link RequestPrelude}, if it is stored. */
  prelude: z.string().exactOptional(),
  /** The beginning of the answer, if the model was asked to continue it. */
  continues: z.array(assistantPart).exactOptional(),
  fill: contextFill,
});
/**
 * What one model request was assembled from. The messages themselves are in the conversation; the request can be
 * assembled from them again.
 */
export type ModelRequestRecord = z.output<typeof modelRequest>;
const callId = z.string();

export const runEvent = named(
  'RunEvent',
  z.discriminatedUnion('type', [
    event('run_started', 'The run began. `message` is the message it answers.', {
      conversationId: z.string(),
      place: ofRun.place,
      model: z.string(),
      message: userMessage,
    }),
    event(
      'servers_awaited',
      'The run waits up to 5 s for these MCP servers, which connect for the first time. Whatever event follows ends the wait.',
      { servers: z.array(z.string()) },
    ),
    event('step_started', 'A step began; `instruction` says what it does.', { instruction }),
    event(
      'steered',
      'The run received a message while it was in progress; it is part of the conversation from here on.',
      { message: userMessage },
    ),
    event('request_made', 'A model request is about to be sent; `request` says what it is made of.', {
      messageId,
      request: modelRequest,
    }),
    event('message_started', 'The model began a message.', { messageId, parentId, model, agent }),
    event('text_delta', 'More text of the answer.', { messageId, text: z.string() }),
    event('reasoning_delta', 'More reasoning text.', { messageId, text: z.string() }),
    event('tool_call_started', 'The model began to write a tool call.', { messageId, callId, name: z.string() }),
    event('tool_call_delta', 'More of the arguments of a tool call, as the model writes them.', {
      messageId,
      callId,
      argumentsText: z.string(),
    }),
    event('tool_call_ready', 'A tool call is complete.', { messageId, call: toolCallPart }),
    event('tool_call_malformed', 'A tool call cannot be parsed; the model gets an error as its result.', {
      messageId,
      call: malformedToolCallPart,
    }),
    event('message_finished', 'The message is complete. `message` has the whole of the deltas before it.', {
      message: assistantMessage,
    }),
    event(
      'attempt_abandoned',
      'The process that executed the step exited; another attempt starts from the last commit, and answered calls stay answered. `messageId` names the partial answer, which is kept, or null without one.',
      { messageId: z.string().nullable() },
    ),
    event(
      'interrupt_requested',
      'The run needs an answer of the user. With `live` the run does not park: a server holds its call open meanwhile.',
      { interrupt, live: z.literal(true).exactOptional() },
    ),
    event('interrupt_answered', 'An interrupt was answered.', { interruptId: z.string(), answer: interruptAnswer }),
    event('interrupt_withdrawn', 'The interrupt no longer needs an answer.', { interruptId: z.string() }),
    event('tool_started', 'A call is about to be sent. `editedArguments` are the arguments as the user changed them.', {
      callId,
      tool: toolReference,
      name: z.string(),
      editedArguments: jsonObject.exactOptional(),
    }),
    event(
      'tool_progress',
      'Progress of a call. With `waitsFor` it was not sent yet: the server is busy with calls of these conversations and accepts one at a time.',
      {
        callId,
        progress: z.number(),
        total: z.number().exactOptional(),
        text: z.string().exactOptional(),
        waitsFor: z.array(z.string()).exactOptional(),
      },
    ),
    event('tool_finished', 'A call ended. `result.outcome` says whether it took effect.', {
      callId,
      result: toolResult,
      message: toolMessage,
      durationMs: z.number(),
    }),
    event('run_parked', 'The run waits until open interrupts are answered.', {}),
    event('run_resumed', 'The run continues.', {}),
    event('compression_started', 'Compaction of the older messages began.', { messages: z.int() }),
    event(
      'compression_finished',
      'Compaction ended; `message` replaces the compacted messages in requests. They are kept.',
      { message: systemMessage, usage: usage.exactOptional() },
    ),
    event('compression_failed', 'Compaction failed; the run continues with all messages.', { error: errorInfo }),
    event('notice', 'Information or a warning for the user.', {
      level: z.enum(['info', 'warning']),
      code: z.string(),
      text: z.string(),
      templates: textTemplates.exactOptional(),
    }),
    event('run_finished', 'The run ended. `cost` is in US dollars; absent if a price or a token count is unknown.', {
      status: z.enum(['done', 'failed', 'cancelled']),
      usage,
      /** US dollars; absent where a price or a usage is unknown. */
      cost: z.number().exactOptional(),
      error: errorInfo.exactOptional(),
    }),
  ]),
);
export type RunEvent = z.output<typeof runEvent>;
export type RunEventEnvelope = Pick<RunEvent, 'v' | 'seq' | 'runId' | 'step' | 'attempt' | 'at'>;
type BodyOf<Event> = Event extends RunEventEnvelope ? Omit<Event, keyof RunEventEnvelope> : never;
/**
 * The content of an event, without its envelope. The union is closed: every consumer switches over it exhaustively.
 * Applying the events by `seq` gives the transcript. `message_finished` and `tool_finished` contain the content of the deltas
 * before them, which can be deleted once a run is over.
 */
export type RunEventBody = BodyOf<RunEvent>;
