import { z } from 'zod';
import { RUN_EVENT_VERSION } from '../event-version.ts';
import { errorInfo, jsonObject, named, pageOf, timestamp, toolChange, toolReference } from './common.ts';
import { budget, modelParameters } from './configuration.ts';
import { assistantMessage, systemMessage, toolMessage, usage, userMessage } from './messages.ts';
import { assistantPart, malformedToolCallPart, toolCallPart, toolResult } from './parts.ts';
import { spent } from './usage.ts';

const place = z.enum(['server', 'browser', 'process']);
/** Where a run executes. */
export type RunLocation = z.output<typeof place>;
export const runStatus = z.enum(['queued', 'running', 'parked', 'waiting_for_tab', 'done', 'failed', 'cancelled']);
export type RunStatus = z.output<typeof runStatus>;

const ofRun = {
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
};
export const runRecord = named('RunRecord', z.strictObject(ofRun));
/** A run as its owner may see it. */
export type RunRecord = z.output<typeof runRecord>;
export const missingRole = named(
  'MissingRole',
  z.strictObject({ role: z.enum(['worker', 'tools']), message: z.string() }),
);
/** A part of the work that no process does at the moment, and what that means to people. */
export type MissingRole = z.output<typeof missingRole>;
export const runView = named('RunView', z.strictObject({ ...ofRun, waitsFor: missingRole.exactOptional() }));
/** A run, and what it waits for where nobody can go on with it. */
export type RunView = z.output<typeof runView>;
export const runPage = pageOf('RunPage', runRecord);

const asked = { id: z.string(), callId: z.string(), tool: toolReference, name: z.string() };
const askedByServer = {
  ...asked,
  /**
   * Set where the server did not say which of several calls it asks for: the conversations of all of them. Each is asked
   * and the first answer counts.
   */
  mayBelongTo: z.array(z.string()).exactOptional(),
};
const measure = z.enum(['dollars', 'tokens', 'calls']);
const samplingContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  /** A picture or a sound; its bytes are sent and not shown. */
  z.strictObject({ type: z.literal('media'), mimeType: z.string(), bytes: z.number() }),
  z.strictObject({ type: z.literal('tool_use'), name: z.string(), arguments: jsonObject }),
  z.strictObject({ type: z.literal('tool_result'), text: z.string() }),
]);
export type SamplingContent = z.output<typeof samplingContent>;
export const interrupt = named(
  'Interrupt',
  z.discriminatedUnion('kind', [
    /** May this call be made? The arguments shown are the arguments that will run. */
    z.strictObject({
      ...asked,
      kind: z.literal('approval'),
      arguments: jsonObject,
      /** What the server says of the tool, as the model reads it. Untrusted, and shown with what hides in it. */
      description: z.string().exactOptional(),
      /** Stands for the tool as it was when this was asked: what is approved is that and nothing else. */
      definition: z.string().exactOptional(),
      /** What the arguments have to fit, also those a person writes instead; absent where it is long. Untrusted. */
      inputSchema: jsonObject.exactOptional(),
      /** The tool was approved before, and is not what it was then. */
      changed: toolChange.exactOptional(),
      /** Why it is asked whatever was allowed: only an answer to this very question lets the call through. */
      danger: z.string().exactOptional(),
      /** A rule asks about every such call: an answer counts for this one only. */
      byRule: z.literal(true).exactOptional(),
      /**
       * Mode `auto` would allow this call, and is not confirmed beside these enabled local servers, which run without a
       * sandbox. Set only where nothing else asks.
       */
      autoUnconfirmed: z.array(z.string()).exactOptional(),
    }),
    /**
     * This call was sent, and the process died before an answer was stored: nobody can say whether it took effect. It is
     * not made again unless the person says so.
     */
    z.strictObject({
      ...asked,
      kind: z.literal('in_doubt'),
      arguments: jsonObject,
      /** When it was sent, in milliseconds since 1970. */
      sentAt: timestamp,
    }),
    z.discriminatedUnion('mode', [
      /** The server of the call wants a form filled in. Message and schema are its own words: {@link readForm} reads them. */
      z.strictObject({
        ...askedByServer,
        kind: z.literal('elicitation'),
        mode: z.literal('form'),
        message: z.string(),
        requestedSchema: jsonObject,
      }),
      /** The server of the call wants the person to open an address. It is opened by a click and by nothing else. */
      z.strictObject({
        ...askedByServer,
        kind: z.literal('elicitation'),
        mode: z.literal('url'),
        message: z.string(),
        url: z.string(),
      }),
    ]),
    /**
     * The server of the call wants an answer of the conversation's model, at the person's cost. Shown is all that the model
     * would be sent.
     */
    z.strictObject({
      ...askedByServer,
      kind: z.literal('sampling'),
      systemPrompt: z.string().exactOptional(),
      messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(samplingContent) })),
      /** Which models the server would like; the conversation's own answers. */
      modelHints: z.array(z.string()),
      /** The model that will answer. */
      model: z.string(),
      maxTokens: z.number(),
      /** Tools of the server's own the model may ask it for. */
      tools: z.array(z.strictObject({ name: z.string(), description: z.string().exactOptional() })),
    }),
    /** The server of the call wants to know who is there. The call was not accepted, and is made again afterwards. */
    z.strictObject({ ...asked, kind: z.literal('sign_in') }),
    /** The model itself wants to know something, in the person's own words. The question is the model's text. */
    z.strictObject({ ...asked, kind: z.literal('prompt'), question: z.string() }),
    /** The model itself wants one of these choices, or several of them. Question and choices are the model's text. */
    z.strictObject({
      ...asked,
      kind: z.literal('selection'),
      question: z.string(),
      /** At least two, no two alike. */
      choices: z.array(z.string()),
      multiple: z.boolean(),
    }),
    /** A budget is used up. The run rests before whatever would use more: a model request, or calls of the tool. */
    z.strictObject({
      id: z.string(),
      kind: z.literal('budget'),
      /** As it counts for this run. */
      budget,
      /** What of it is used up. */
      measure,
      spent,
    }),
    /**
     * The tool is reached from a tab, and none that has it is open. A tab that comes answers by being there; a person may
     * give up waiting.
     */
    z.strictObject({ ...asked, kind: z.literal('tab') }),
  ]),
);
/** Something a person must answer before the run goes on. Other kinds join this union as they are built. */
export type Interrupt = z.output<typeof interrupt>;
/** May this call be made? The arguments shown are the arguments that will run. */
export type ApprovalInterrupt = Extract<Interrupt, { kind: 'approval' }>;
/**
 * This call was sent, and the process died before an answer was stored: nobody can say whether it took effect. It is
 * not made again unless the person says so.
 */
export type InDoubtInterrupt = Extract<Interrupt, { kind: 'in_doubt' }>;
/** The server of the call wants a form filled in. Message and schema are its own words: {@link readForm} reads them. */
export type FormInterrupt = Extract<Interrupt, { mode: 'form' }>;
/** The server of the call wants the person to open an address. It is opened by a click and by nothing else. */
export type UrlInterrupt = Extract<Interrupt, { mode: 'url' }>;
/**
 * The server of the call wants an answer of the conversation's model, at the person's cost. Shown is all that the model
 * would be sent.
 */
export type SamplingInterrupt = Extract<Interrupt, { kind: 'sampling' }>;
export type SamplingMessage = SamplingInterrupt['messages'][number];
/** The server of the call wants to know who is there. The call was not accepted, and is made again afterwards. */
export type SignInInterrupt = Extract<Interrupt, { kind: 'sign_in' }>;
/** The model itself wants to know something, in the person's own words. The question is the model's text. */
export type PromptInterrupt = Extract<Interrupt, { kind: 'prompt' }>;
/** The model itself wants one of these choices, or several of them. Question and choices are the model's text. */
export type SelectionInterrupt = Extract<Interrupt, { kind: 'selection' }>;
/** A budget is used up. The run rests before whatever would use more: a model request, or calls of the tool. */
export type BudgetInterrupt = Extract<Interrupt, { kind: 'budget' }>;
/**
 * The tool is reached from a tab, and none that has it is open. A tab that comes answers by being there; a person may
 * give up waiting.
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
/** What a person said to an interrupt; which ones fit, its kind says. */
export type InterruptAnswer = z.output<typeof interruptAnswer>;
/**
 * For how long a decision about a tool counts: this one call, every call in this conversation, every call from now on.
 */
export type ApprovalScope = Extract<InterruptAnswer, { decision: 'approve' }>['scope'];

const shown = z.strictObject({ arguments: jsonObject.exactOptional(), definition: z.string().exactOptional() });
/**
 * What the person had before their eyes when they answered a question about a call: its arguments as the model asked for
 * them, and the `definition` that came with the question. Where it is sent and is not what was asked, nothing is answered.
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
    /** `withdrawn`: the run ended or no longer asks. */
    status: interruptStatus,
    answer: interruptAnswer.nullable(),
    openedAt: timestamp,
    answeredAt: timestamp.nullable(),
  }),
);
export type StoredInterrupt = z.output<typeof storedInterrupt>;
/** `parked`: nothing is held open. `live`: a question inside an open call, answerable while the call is open. */
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
/** Many at once, each with its own outcome: one that is refused keeps none of the others. */
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

/** One event of a run: what its place in the stream is, and what happened. */
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

const messageId = z.string();
const tokens = z.int();
export const contextFill = z.strictObject({
  /** All of the request. */
  tokens,
  /** What the model can take; `assumed` where it does not say. */
  window: tokens,
  assumed: z.literal(true).exactOptional(),
  /** Of `tokens`: instructions and the notes of servers, definitions of tools, results of tools, and the rest. */
  parts: z.strictObject({ instructions: tokens, tools: tokens, results: tokens, messages: tokens }),
});
/** How full the model's window is, in tokens: an estimate, corrected by what the model told of earlier requests. */
export type ContextFill = z.output<typeof contextFill>;
export const modelRequest = named(
  'ModelRequestRecord',
  z.strictObject({
    model: z.string(),
    /** The last message of the conversation that went along; null where there was none. */
    leafId: z.string().nullable(),
    toolChoice: z.enum(['auto', 'none']),
    toolMode: z.enum(['native', 'text']),
    parameters: modelParameters,
    /** When the request was put together, in milliseconds since 1970: what stands for the date is of then. */
    at: timestamp,
    timeZone: z.string(),
    /** What the model reads, where that is known. */
    inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
    /** Under what id the {@link RequestPrelude} is kept, where somebody keeps it. */
    prelude: z.string().exactOptional(),
    /** The beginning of the answer, where the model was to go on with it. */
    continues: z.array(assistantPart).exactOptional(),
    fill: contextFill,
  }),
);
/**
 * What one request to a model was made of. The messages themselves stand in the conversation: what was sent is made of
 * them again, in the same way.
 */
export type ModelRequestRecord = z.output<typeof modelRequest>;
const callId = z.string();

export const instruction = z.enum([
  'call_llm',
  'call_tool',
  'call_tools_batch',
  'compress_context',
  'request_human_approve',
  'request_human_budget',
  'request_human_prompt',
  'request_human_select',
  'resolve_aborted_tools',
  'finish',
]);
/** The instructions of the loop; each one carried out and committed is a step. */
export type InstructionType = z.output<typeof instruction>;

export const runEvent = named(
  'RunEvent',
  z.discriminatedUnion('type', [
    event('run_started', { conversationId: z.string(), place, model: z.string(), message: userMessage }),
    event('step_started', { instruction }),
    /** The person said something to the run while it was under way: it stands in the conversation from here on. */
    event('steered', { message: userMessage }),
    /** What the model is sent for the message that comes next, as far as it has to be told to be shown again. */
    event('request_made', { messageId, request: modelRequest }),
    event('message_started', { messageId, parentId: z.string().nullable(), model: z.string() }),
    event('text_delta', { messageId, text: z.string() }),
    event('reasoning_delta', { messageId, text: z.string() }),
    event('tool_call_started', { messageId, callId, name: z.string() }),
    event('tool_call_delta', { messageId, callId, argumentsText: z.string() }),
    event('tool_call_ready', { messageId, call: toolCallPart }),
    event('tool_call_malformed', { messageId, call: malformedToolCallPart }),
    event('message_finished', { message: assistantMessage }),
    /**
     * The process that carried out this step died, and another goes on from the last committed one. What this attempt
     * wrote of an answer stays, marked: `messageId` names it, null where there was none. Calls already answered stay so.
     */
    event('attempt_abandoned', { messageId: z.string().nullable() }),
    /** `live`: asked in the middle of a call that goes on meanwhile; the run does not park. */
    event('interrupt_requested', { interrupt, live: z.literal(true).exactOptional() }),
    event('interrupt_answered', { interruptId: z.string(), answer: interruptAnswer }),
    /** Nobody waits for an answer any more. */
    event('interrupt_withdrawn', { interruptId: z.string() }),
    /** `editedArguments`: what a person made of the arguments the model had asked for. */
    event('tool_started', {
      callId,
      tool: toolReference,
      name: z.string(),
      editedArguments: jsonObject.exactOptional(),
    }),
    /** `waitsFor`: the call was not sent yet; its server is busy with calls of these conversations, one's own alone. */
    event('tool_progress', {
      callId,
      progress: z.number(),
      total: z.number().exactOptional(),
      text: z.string().exactOptional(),
      waitsFor: z.array(z.string()).exactOptional(),
    }),
    event('tool_finished', { callId, result: toolResult, message: toolMessage, durationMs: z.number() }),
    /** Nothing goes on until a person has answered the open interrupts. */
    event('run_parked', {}),
    event('run_resumed', {}),
    /** The conversation has grown too long for the model: its older part is being summed up. */
    event('compression_started', { messages: z.int() }),
    /** `message` stands from now on for what it folds; the folded messages stay where they are. */
    event('compression_finished', { message: systemMessage, usage: usage.exactOptional() }),
    /** The model could not sum it up; the run goes on with the conversation as it is. */
    event('compression_failed', { error: errorInfo }),
    event('notice', { level: z.enum(['info', 'warning']), code: z.string(), text: z.string() }),
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
/** A question about one call of a tool: all kinds but those about the run itself. */
export type CallInterrupt = Exclude<Interrupt, BudgetInterrupt>;
/**
 * `approve` with `arguments`: the call is made with these instead of what the model asked for. They have to fit the tool
 * and are judged as any call; what was decided for later is about the tool, and takes no arguments with it.
 *
 * `refuse` with scope `always` is "never": the tool is not asked about again, and not run. With `stops` the run ends
 * there; else it goes on, and the model reads the reason.
 */
export type ApprovalAnswer = Extract<InterruptAnswer, { decision: 'approve' | 'refuse' }>;
/**
 * - `repeat`: make the call again
 * - `failed`: it did not take effect; the model is told that it failed
 * - `result`: it did, and this is what came of it; `result` is the whole of it, where whoever made the call came back
 */
export type InDoubtAnswer = Extract<InterruptAnswer, { decision: 'repeat' | 'failed' | 'result' }>;
/**
 * - `accept`: with `content` for a form; for an address the consent to open it
 * - `decline`: the person says no, and the server is told so
 * - `cancel`: the person shut the question without an answer
 */
export type ElicitationAnswer = Extract<InterruptAnswer, { decision: 'accept' | 'decline' | 'cancel' }>;
/**
 * `allow`: the model is asked. `texts` takes the place of the texts of the messages, in their order and as many as there
 * are; `systemPrompt` that of the server's.
 */
export type SamplingDecision = Extract<InterruptAnswer, { decision: 'allow' | 'decline' }>;
/** `signed_in`: make the call again. */
export type SignInAnswer = Extract<InterruptAnswer, { decision: 'signed_in' | 'decline' }>;
/** `decline`: the person does not want to say; the model goes on without. */
export type PromptAnswer = Extract<InterruptAnswer, { decision: 'say' | 'decline' }>;
/** `chosen`: choices of the question, one of them unless several may be chosen. */
export type SelectionAnswer = Extract<InterruptAnswer, { decision: 'choose' | 'decline' }>;
/**
 * - `raise`: go on; `limit` takes the place of the limit that is used up, and is above what is spent. It counts for
 *   this run, for this conversation from now on, or (`always`) wherever the budget is set.
 * - `stop`: the run ends
 */
export type BudgetAnswer = Extract<InterruptAnswer, { decision: 'raise' | 'stop' }>;
/** `tab_here`: a tab that has the tool is open now. */
export type TabAnswer = Extract<InterruptAnswer, { decision: 'tab_here' | 'decline' }>;
export type RunEventEnvelope = Pick<RunEvent, 'v' | 'seq' | 'runId' | 'step' | 'attempt' | 'at'>;
type BodyOf<Event> = Event extends RunEventEnvelope ? Omit<Event, keyof RunEventEnvelope> : never;
/**
 * What happens in a run, without its envelope. The union is closed: every door (terminal, page, OpenAI, AG-UI)
 * switches over it exhaustively, and a new member is a deliberate change to each of them.
 *
 * A reader who applies the events in order of `seq` has the transcript: `message_finished` and `tool_finished` carry
 * the whole of what the deltas before them spelled out, so that deltas can be dropped once a run is over.
 */
export type RunEventBody = BodyOf<RunEvent>;
