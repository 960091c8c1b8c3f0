import { z } from 'zod';
import {
  askedBy,
  errorInfo,
  jsonObject,
  named,
  namedObject,
  createPageSchema,
  timestamp,
  toolReference,
} from './common.ts';
import { callToolFacts } from './call-tool-facts.ts';
import { budget } from './configuration.ts';
import { toolResult } from './parts.ts';
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
export const runRecord = namedObject('RunRecord', ofRun);
/** A run as its owner sees it. */
export type RunRecord = z.output<typeof runRecord>;
export const missingRole = namedObject('MissingRole', { role: z.enum(['worker', 'tools']), message: z.string() });
/** A process role that no process has, and what that means for users. */
export type MissingRole = z.output<typeof missingRole>;
export const runView = namedObject('RunView', {
  ...ofRun,
  waitsFor: missingRole.exactOptional(),
  webhook: runWebhookView.exactOptional(),
});
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
export const answerInterruptBody = namedObject('AnswerInterrupt', {
  answer: interruptAnswer,
  shown: shown.exactOptional(),
});
export type AnswerInterrupt = z.output<typeof answerInterruptBody>;

export const interruptStatus = z.enum(['open', 'answered', 'withdrawn']);
export const storedInterrupt = namedObject('StoredInterrupt', {
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
});
export type StoredInterrupt = z.output<typeof storedInterrupt>;
/** `parked`: no process waits. `live`: asked during an open call, can be answered only while the call is open. */
export type InterruptMode = StoredInterrupt['mode'];
const oneAnswer = z.strictObject({
  id: z.string().min(1).max(300),
  answer: interruptAnswer,
  shown: shown.exactOptional(),
});
export const answerInterruptsBody = namedObject('AnswerInterrupts', { answers: z.array(oneAnswer).min(1).max(200) });
/** Several answers, each with its own outcome: a rejected one does not affect the others. */
export type AnswerInterrupts = z.output<typeof answerInterruptsBody>;
export const answeredInterrupts = namedObject('AnsweredInterrupts', {
  items: z.array(
    z.discriminatedUnion('outcome', [
      z.strictObject({ id: z.string(), outcome: z.literal('answered'), interrupt: storedInterrupt }),
      z.strictObject({ id: z.string(), outcome: z.literal('refused'), error: errorInfo }),
    ]),
  ),
});
/** In the order of the answers. */
export type AnsweredInterrupts = z.output<typeof answeredInterrupts>;

export const interruptCount = namedObject('InterruptCount', { open: z.int() });
export const interruptPage = createPageSchema('InterruptPage', storedInterrupt);

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
