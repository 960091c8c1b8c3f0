import { z } from 'zod';
import { RUN_EVENT_VERSION } from '../event-version.ts';
import { askedBy, errorInfo, jsonObject, named, pageOf, timestamp, toolReference, textTemplates } from './common.ts';
import { callToolFacts } from './call-tool-facts.ts';
import { budget, modelParameters } from './configuration.ts';
import { instruction } from './instructions.ts';
import { assistantMessage, systemMessage, toolMessage, usage, userMessage } from './messages.ts';
import { assistantPart, malformedToolCallPart, toolCallPart, toolResult } from './parts.ts';
import { spent } from './usage.ts';
import { runWebhookView } from './webhook.ts';

const place = z.enum(['server', 'browser', 'process']);
/** Where a run executes. */
export type RunLocation = z.output<typeof place>;
export const runStatus = z.enum(['queued', 'running', 'parked', 'waiting_for_tab', 'done', 'failed', 'cancelled']);
export type RunStatus = z.output<typeof runStatus>;

/** The fields of a run that its owner sees. */
export const ofRun = {
  id: z.string(),
  ownerId: z.string(),
  conversationId: z.string(),
  agentId: z.string().nullable(),
  /** Null for a top-level run. */
  parentRunId: z.string().nullable(),
  place,
  status: runStatus,
  /** The seq of its last event; 0 before the first. */
  lastSeq: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  endedAt: timestamp.nullable(),
  /** `key:<id>` or `trigger:<id>`: the API key or incoming webhook that started it, also as a sub-agent. */
  startedBy: z.string().exactOptional(),
};
export const runRecord = named('RunRecord', z.strictObject(ofRun));
/** A run as its owner sees it. */
export type RunRecord = z.output<typeof runRecord>;
export const missingRole = named(
  'MissingRole',
  z.strictObject({ role: z.enum(['worker', 'tools']), message: z.string() }),
);
/** A process role that no process has, and what that means for users. */
export type MissingRole = z.output<typeof missingRole>;
export const runView = named(
  'RunView',
  z.strictObject({ ...ofRun, waitsFor: missingRole.exactOptional(), webhook: runWebhookView.exactOptional() }),
);
/** A run, the process role it waits for if none can continue it, and its own webhook. */
export type RunView = z.output<typeof runView>;
const asked = {
  id: z.string(),
  callId: z.string(),
  tool: toolReference,
  name: z.string(),
  askedBy: askedBy.exactOptional(),
};
const askedByServer = {
  ...asked,
  /**
   * Set if the server did not say which of several calls it asks for: the conversations of all of them. Each shows the
   * interrupt, and the first answer wins.
   */
  mayBelongTo: z.array(z.string()).exactOptional(),
};
const measure = z.enum(['dollars', 'tokens', 'calls']);
const samplingContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  /** An image or audio; its bytes are sent to the model but not shown. */
  z.strictObject({ type: z.literal('media'), mimeType: z.string(), bytes: z.number() }),
  z.strictObject({ type: z.literal('tool_use'), name: z.string(), arguments: jsonObject }),
  z.strictObject({ type: z.literal('tool_result'), text: z.string() }),
]);
export type SamplingContent = z.output<typeof samplingContent>;
export const interrupt = named(
  'Interrupt',
  z.discriminatedUnion('kind', [
    /** A call that needs approval. It runs with exactly the arguments shown. */
    z.strictObject({
      ...asked,
      kind: z.literal('approval'),
      arguments: jsonObject,
      ...callToolFacts.shape,
    }),
    /**
     * A call with unknown outcome: it was sent, and the process crashed before a result was stored. It is not repeated
     * unless the user decides so.
     */
    z.strictObject({
      ...asked,
      kind: z.literal('in_doubt'),
      arguments: jsonObject,
      /** When it was sent, in milliseconds since 1970. */
      sentAt: timestamp,
    }),
    z.discriminatedUnion('mode', [
      /**
       * The server of the call requests a form. Message and schema are the server's text: {@link readForm} parses them.
       */
      z.strictObject({
        ...askedByServer,
        kind: z.literal('elicitation'),
        mode: z.literal('form'),
        message: z.string(),
        requestedSchema: jsonObject,
      }),
      /** The server of the call asks the user to open a URL. It is opened only by a click. */
      z.strictObject({
        ...askedByServer,
        kind: z.literal('elicitation'),
        mode: z.literal('url'),
        message: z.string(),
        url: z.string(),
      }),
    ]),
    /**
     * The server of the call requests an answer of the conversation's model, at the user's cost. Contains everything
     * that the model would be sent.
     */
    z.strictObject({
      ...askedByServer,
      kind: z.literal('sampling'),
      systemPrompt: z.string().exactOptional(),
      messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(samplingContent) })),
      /** Models that the server prefers; the conversation's own model answers. */
      modelHints: z.array(z.string()),
      /** The model that will answer. */
      model: z.string(),
      maxTokens: z.number(),
      /** Tools that the server gives to the model for this answer. */
      tools: z.array(z.strictObject({ name: z.string(), description: z.string().exactOptional() })),
    }),
    /** The server of the call requires a sign-in. It did not accept the call, which is made again after the sign-in. */
    z.strictObject({ ...asked, kind: z.literal('sign_in') }),
    /** The model asks the user for text. The question is the model's text. */
    z.strictObject({ ...asked, kind: z.literal('prompt'), question: z.string() }),
    /** The model asks the user to choose. Question and choices are the model's text. */
    z.strictObject({
      ...asked,
      kind: z.literal('selection'),
      question: z.string(),
      /** At least two, all different. */
      choices: z.array(z.string()),
      multiple: z.boolean(),
    }),
    /**
     * An exhausted budget. The run is parked before anything that would exceed it: a model request, or calls of the
     * tool.
     */
    z.strictObject({
      id: z.string(),
      kind: z.literal('budget'),
      /** As it applies to this run. */
      budget,
      /** The exhausted measure. */
      measure,
      spent,
      askedBy: askedBy.exactOptional(),
    }),
    /**
     * The tool is on a server of a tab, and no tab with it is open. Opening such a tab answers this; a user can also
     * stop waiting.
     */
    z.strictObject({ ...asked, kind: z.literal('tab') }),
  ]),
);
/** A request that a user must answer before the run continues. */
export type Interrupt = z.output<typeof interrupt>;
/** A call that needs approval. It runs with exactly the arguments shown. */
export type ApprovalInterrupt = Extract<Interrupt, { kind: 'approval' }>;
/**
 * A call with unknown outcome: it was sent, and the process crashed before a result was stored. It is not repeated
 * unless the user decides so.
 */
export type InDoubtInterrupt = Extract<Interrupt, { kind: 'in_doubt' }>;
/** The server of the call requests a form. Message and schema are the server's text: {@link readForm} parses them. */
export type FormInterrupt = Extract<Interrupt, { mode: 'form' }>;
/** The server of the call asks the user to open a URL. It is opened only by a click. */
export type UrlInterrupt = Extract<Interrupt, { mode: 'url' }>;
/**
 * The server of the call requests an answer of the conversation's model, at the user's cost. Contains everything that
 * the model would be sent.
 */
export type SamplingInterrupt = Extract<Interrupt, { kind: 'sampling' }>;
export type SamplingMessage = SamplingInterrupt['messages'][number];
/** The server of the call requires a sign-in. It did not accept the call, which is made again after the sign-in. */
export type SignInInterrupt = Extract<Interrupt, { kind: 'sign_in' }>;
/** The model asks the user for text. The question is the model's text. */
export type PromptInterrupt = Extract<Interrupt, { kind: 'prompt' }>;
/** The model asks the user to choose. Question and choices are the model's text. */
export type SelectionInterrupt = Extract<Interrupt, { kind: 'selection' }>;
/**
 * An exhausted budget. The run is parked before anything that would exceed it: a model request, or calls of the tool.
 */
export type BudgetInterrupt = Extract<Interrupt, { kind: 'budget' }>;
/**
 * The tool is on a server of a tab, and no tab with it is open. Opening such a tab answers this; a user can also stop
 * waiting.
 */
export type TabInterrupt = Extract<Interrupt, { kind: 'tab' }>;

export const interruptAnswer = named(
  'InterruptAnswer',
  z.discriminatedUnion('decision', [
    z.strictObject({
      decision: z.literal('approve'),
      scope: z.enum(['once', 'conversation', 'always']),
      arguments: jsonObject.exactOptional(),
    }),
    z.strictObject({
      decision: z.literal('refuse'),
      scope: z.enum(['once', 'always']).exactOptional(),
      reason: z.string().exactOptional(),
      stops: z.literal(true).exactOptional(),
    }),
    z.strictObject({ decision: z.literal('repeat') }),
    z.strictObject({ decision: z.literal('failed') }),
    z.strictObject({ decision: z.literal('result'), text: z.string(), result: toolResult.exactOptional() }),
    z.strictObject({ decision: z.literal('accept'), content: jsonObject.exactOptional() }),
    z.strictObject({ decision: z.literal('decline') }),
    z.strictObject({ decision: z.literal('cancel') }),
    z.strictObject({
      decision: z.literal('allow'),
      texts: z.array(z.string()).exactOptional(),
      systemPrompt: z.string().exactOptional(),
    }),
    z.strictObject({ decision: z.literal('signed_in') }),
    z.strictObject({ decision: z.literal('say'), text: z.string() }),
    z.strictObject({ decision: z.literal('choose'), chosen: z.array(z.string()) }),
    z.strictObject({
      decision: z.literal('raise'),
      limit: z.number().positive(),
      scope: z.enum(['run', 'conversation', 'always']).exactOptional(),
    }),
    z.strictObject({ decision: z.literal('stop') }),
    z.strictObject({ decision: z.literal('tab_here') }),
  ]),
);
/** The answer to an interrupt; its kind determines which are valid. */
export type InterruptAnswer = z.output<typeof interruptAnswer>;
/** Scope of an approval: this call, every call in this conversation, or every call from now on. */
export type ApprovalScope = Extract<InterruptAnswer, { decision: 'approve' }>['scope'];

const shown = z.strictObject({ arguments: jsonObject.exactOptional(), definition: z.string().exactOptional() });
/**
 * What the user saw when answering an approval: the arguments as the model requested them, and the `definition` of the
 * interrupt. If it is sent and differs from the interrupt, the answer is rejected.
 */
export type ShownCall = z.output<typeof shown>;
export const answerInterruptBody = named(
  'AnswerInterrupt',
  z.strictObject({ answer: interruptAnswer, shown: shown.exactOptional() }),
);
export type AnswerInterrupt = z.output<typeof answerInterruptBody>;

export const interruptStatus = z.enum(['open', 'answered', 'withdrawn']);
export const storedInterrupt = named(
  'StoredInterrupt',
  z.strictObject({
    id: z.string(),
    runId: z.string(),
    conversationId: z.string(),
    mode: z.enum(['parked', 'live']),
    interrupt,
    /** `withdrawn`: the run ended, or does not need it any more. */
    status: interruptStatus,
    answer: interruptAnswer.nullable(),
    openedAt: timestamp,
    answeredAt: timestamp.nullable(),
  }),
);
export type StoredInterrupt = z.output<typeof storedInterrupt>;
/** `parked`: no process waits. `live`: asked during an open call, can be answered only while the call is open. */
export type InterruptMode = StoredInterrupt['mode'];
const oneAnswer = z.strictObject({
  id: z.string().min(1).max(300),
  answer: interruptAnswer,
  shown: shown.exactOptional(),
});
export const answerInterruptsBody = named(
  'AnswerInterrupts',
  z.strictObject({ answers: z.array(oneAnswer).min(1).max(200) }),
);
/** Several answers, each with its own outcome: a rejected one does not affect the others. */
export type AnswerInterrupts = z.output<typeof answerInterruptsBody>;
export const answeredInterrupts = named(
  'AnsweredInterrupts',
  z.strictObject({
    items: z.array(
      z.discriminatedUnion('outcome', [
        z.strictObject({ id: z.string(), outcome: z.literal('answered'), interrupt: storedInterrupt }),
        z.strictObject({ id: z.string(), outcome: z.literal('refused'), error: errorInfo }),
      ]),
    ),
  }),
);
/** In the order of the answers. */
export type AnsweredInterrupts = z.output<typeof answeredInterrupts>;

export const interruptCount = named('InterruptCount', z.strictObject({ open: z.int() }));
export const interruptPage = pageOf('InterruptPage', storedInterrupt);

/** An event of a run: the envelope with its place in the stream, and the content. */
function event<const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.strictObject({
    v: z.literal(RUN_EVENT_VERSION),
    seq: z.int().positive(),
    runId: z.string(),
    step: z.int(),
    attempt: z.int(),
    at: timestamp,
    type: z.literal(type),
    ...shape,
  });
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
export const modelRequest = named(
  'ModelRequestRecord',
  z.strictObject({
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
  }),
);
/**
 * What one model request was assembled from. The messages themselves are in the conversation; the request can be
 * assembled from them again.
 */
export type ModelRequestRecord = z.output<typeof modelRequest>;
const callId = z.string();

export const runEvent = named(
  'RunEvent',
  z.discriminatedUnion('type', [
    event('run_started', { conversationId: z.string(), place, model: z.string(), message: userMessage }),
    /** The run waits a limited time for these MCP servers, which connect for the first time. The next event ends the wait. */
    event('servers_awaited', { servers: z.array(z.string()) }),
    event('step_started', { instruction }),
    /** The user sent a message to the run while it executed: from here on it is part of the conversation. */
    event('steered', { message: userMessage }),
    /** The request that the next message answers, as far as it is needed to show it again. */
    event('request_made', { messageId, request: modelRequest }),
    event('message_started', { messageId, parentId, model, agent }),
    event('text_delta', { messageId, text: z.string() }),
    event('reasoning_delta', { messageId, text: z.string() }),
    event('tool_call_started', { messageId, callId, name: z.string() }),
    event('tool_call_delta', { messageId, callId, argumentsText: z.string() }),
    event('tool_call_ready', { messageId, call: toolCallPart }),
    event('tool_call_malformed', { messageId, call: malformedToolCallPart }),
    event('message_finished', { message: assistantMessage }),
    /**
     * The process that executed this step crashed, and another continues from the last committed step. What this
     * attempt wrote of an answer is kept and marked: `messageId`, null if there was none. Answered calls stay answered.
     */
    event('attempt_abandoned', { messageId: z.string().nullable() }),
    /** `live`: asked during a call that stays open; the run does not park. */
    event('interrupt_requested', { interrupt, live: z.literal(true).exactOptional() }),
    event('interrupt_answered', { interruptId: z.string(), answer: interruptAnswer }),
    /** The run does not wait for an answer any more. */
    event('interrupt_withdrawn', { interruptId: z.string() }),
    /** `editedArguments`: the model's arguments as a user edited them. */
    event('tool_started', {
      callId,
      tool: toolReference,
      name: z.string(),
      editedArguments: jsonObject.exactOptional(),
    }),
    /**
     * `waitsFor`: the call was not sent yet; its server is busy with calls of these conversations, and accepts one at a
     * time.
     */
    event('tool_progress', {
      callId,
      progress: z.number(),
      total: z.number().exactOptional(),
      text: z.string().exactOptional(),
      waitsFor: z.array(z.string()).exactOptional(),
    }),
    event('tool_finished', { callId, result: toolResult, message: toolMessage, durationMs: z.number() }),
    /** The run does not continue until a user has answered the open interrupts. */
    event('run_parked', {}),
    event('run_resumed', {}),
    /** The conversation exceeds the context window: its older part is being compacted. */
    event('compression_started', { messages: z.int() }),
    /** `message` replaces the messages that it compacts in model requests; they stay in the conversation. */
    event('compression_finished', { message: systemMessage, usage: usage.exactOptional() }),
    /** The model failed to write the summary; the run continues with the conversation unchanged. */
    event('compression_failed', { error: errorInfo }),
    event('notice', {
      level: z.enum(['info', 'warning']),
      code: z.string(),
      text: z.string(),
      templates: textTemplates.exactOptional(),
    }),
    event('run_finished', {
      status: z.enum(['done', 'failed', 'cancelled']),
      usage,
      /** US dollars; absent where a price or a usage is unknown. */
      cost: z.number().exactOptional(),
      error: errorInfo.exactOptional(),
    }),
  ]),
);
export type RunEvent = z.output<typeof runEvent>;
/** An interrupt about one tool call: all kinds except those about the run itself. */
export type CallInterrupt = Exclude<Interrupt, BudgetInterrupt>;
/**
 * `approve` with `arguments`: the call is made with these instead of the model's. They must match the tool's schema and
 * are checked like those of any call; a stored decision covers the tool, not its arguments.
 *
 * `refuse` with scope `always` is "never": the tool is never run and not asked about again. With `stops` the run ends;
 * otherwise it continues, and the model reads the reason.
 */
export type ApprovalAnswer = Extract<InterruptAnswer, { decision: 'approve' | 'refuse' }>;
/**
 * - `repeat`: make the call again
 * - `failed`: it did not take effect; the model receives an error
 * - `result`: it took effect; `result` is its complete result, if the caller has it
 */
export type InDoubtAnswer = Extract<InterruptAnswer, { decision: 'repeat' | 'failed' | 'result' }>;
/**
 * - `accept`: with `content` for a form; for a URL the consent to open it
 * - `decline`: the user declines, and the server is notified
 * - `cancel`: the user dismissed the interrupt without an answer
 */
export type ElicitationAnswer = Extract<InterruptAnswer, { decision: 'accept' | 'decline' | 'cancel' }>;
/**
 * `allow`: the model is called. `texts` replaces the texts of the messages, in their order and number; `systemPrompt`
 * replaces the server's.
 */
export type SamplingDecision = Extract<InterruptAnswer, { decision: 'allow' | 'decline' }>;
/** `signed_in`: make the call again. */
export type SignInAnswer = Extract<InterruptAnswer, { decision: 'signed_in' | 'decline' }>;
/** `decline`: the user does not answer; the model continues without. */
export type PromptAnswer = Extract<InterruptAnswer, { decision: 'say' | 'decline' }>;
/** `chosen`: choices of the question; exactly one unless several are allowed. */
export type SelectionAnswer = Extract<InterruptAnswer, { decision: 'choose' | 'decline' }>;
/**
 * - `raise`: continue; `limit` replaces the exhausted limit and must be above what is used. It applies to this run, to
 *   this conversation from now on, or (`always`) wherever the budget is set.
 * - `stop`: the run ends
 */
export type BudgetAnswer = Extract<InterruptAnswer, { decision: 'raise' | 'stop' }>;
/** `tab_here`: a tab with the tool is open now. */
export type TabAnswer = Extract<InterruptAnswer, { decision: 'tab_here' | 'decline' }>;
export type RunEventEnvelope = Pick<RunEvent, 'v' | 'seq' | 'runId' | 'step' | 'attempt' | 'at'>;
type BodyOf<Event> = Event extends RunEventEnvelope ? Omit<Event, keyof RunEventEnvelope> : never;
/**
 * The content of an event, without its envelope. The union is closed: every consumer switches over it exhaustively.
 * Applying the events by `seq` gives the transcript. `message_finished` and `tool_finished` contain the content of the deltas
 * before them, which can be deleted once a run is over.
 */
export type RunEventBody = BodyOf<RunEvent>;
