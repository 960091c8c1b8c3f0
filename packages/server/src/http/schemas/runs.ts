import type {
  AbsentRole,
  AnsweredInterrupts,
  AnswerInterrupt,
  AnswerInterrupts,
  Interrupt,
  InterruptAnswer,
  ModelRequestRecord,
  RunEvent,
  RunRecord,
  RunStatus,
  RunView,
  Shown,
  StoredInterrupt,
} from '@toolyard/protocol';
import { RUN_EVENT_VERSION } from '@toolyard/protocol';
import { z } from 'zod';
import { budget } from '../../config/agent-configuration.ts';
import { errorInfo, jsonObject, named, pageOf, time, toolChange, toolReference } from './common.ts';
import { exactly } from './exactly.ts';
import { modelParameters } from './configuration.ts';
import { assistantMessage, systemMessage, toolMessage, usage, userMessage } from './messages.ts';
import { assistantPart, malformedToolCallPart, toolCallPart, toolResult } from './parts.ts';
import { spent } from './usage.ts';

const place = z.enum(['server', 'browser', 'process']);
export const runStatus = exactly<RunStatus>()(
  z.enum(['queued', 'running', 'parked', 'waiting_for_tab', 'done', 'failed', 'cancelled']),
);

const ofRun = {
  id: z.string(),
  ownerId: z.string(),
  conversationId: z.string(),
  agentId: z.string().nullable(),
  parentRunId: z.string().nullable(),
  place,
  status: runStatus,
  lastSeq: z.int(),
  createdAt: time,
  updatedAt: time,
  endedAt: time.nullable(),
};
export const runRecord = named('RunRecord', exactly<RunRecord>()(z.strictObject(ofRun)));
export const absentRole = named(
  'AbsentRole',
  exactly<AbsentRole>()(z.strictObject({ role: z.enum(['worker', 'tools']), message: z.string() })),
);
export const runView = named(
  'RunView',
  exactly<RunView>()(z.strictObject({ ...ofRun, waitsFor: absentRole.exactOptional() })),
);
export const runPage = pageOf('RunPage', runRecord);

const asked = { id: z.string(), callId: z.string(), tool: toolReference, name: z.string() };
const askedByServer = { ...asked, mayBelongTo: z.array(z.string()).exactOptional() };
const measure = z.enum(['dollars', 'tokens', 'calls']);
const samplingContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('media'), mimeType: z.string(), bytes: z.number() }),
  z.strictObject({ type: z.literal('tool_use'), name: z.string(), arguments: jsonObject }),
  z.strictObject({ type: z.literal('tool_result'), text: z.string() }),
]);
export const interrupt = named(
  'Interrupt',
  exactly<Interrupt>()(
    z.discriminatedUnion('kind', [
      z.strictObject({
        ...asked,
        kind: z.literal('approval'),
        arguments: jsonObject,
        description: z.string().exactOptional(),
        definition: z.string().exactOptional(),
        inputSchema: jsonObject.exactOptional(),
        changed: toolChange.exactOptional(),
        danger: z.string().exactOptional(),
        byRule: z.literal(true).exactOptional(),
        autoUnconfirmed: z.array(z.string()).exactOptional(),
      }),
      z.strictObject({ ...asked, kind: z.literal('in_doubt'), arguments: jsonObject, sentAt: time }),
      z.discriminatedUnion('mode', [
        z.strictObject({
          ...askedByServer,
          kind: z.literal('elicitation'),
          mode: z.literal('form'),
          message: z.string(),
          requestedSchema: jsonObject,
        }),
        z.strictObject({
          ...askedByServer,
          kind: z.literal('elicitation'),
          mode: z.literal('url'),
          message: z.string(),
          url: z.string(),
        }),
      ]),
      z.strictObject({
        ...askedByServer,
        kind: z.literal('sampling'),
        systemPrompt: z.string().exactOptional(),
        messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(samplingContent) })),
        modelHints: z.array(z.string()),
        model: z.string(),
        maxTokens: z.number(),
        tools: z.array(z.strictObject({ name: z.string(), description: z.string().exactOptional() })),
      }),
      z.strictObject({ ...asked, kind: z.literal('sign_in') }),
      z.strictObject({ ...asked, kind: z.literal('prompt'), question: z.string() }),
      z.strictObject({
        ...asked,
        kind: z.literal('selection'),
        question: z.string(),
        choices: z.array(z.string()),
        multiple: z.boolean(),
      }),
      z.strictObject({ id: z.string(), kind: z.literal('budget'), budget, measure, spent }),
      z.strictObject({ ...asked, kind: z.literal('tab') }),
    ]),
  ),
);

export const interruptAnswer = named(
  'InterruptAnswer',
  exactly<InterruptAnswer>()(
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
  ),
);

const shown = exactly<Shown>()(
  z.strictObject({ arguments: jsonObject.exactOptional(), definition: z.string().exactOptional() }),
);
export const answerInterrupt = named(
  'AnswerInterrupt',
  exactly<AnswerInterrupt>()(z.strictObject({ answer: interruptAnswer, shown: shown.exactOptional() })),
);

export const interruptStatus = z.enum(['open', 'answered', 'withdrawn']);
export const storedInterrupt = named(
  'StoredInterrupt',
  exactly<StoredInterrupt>()(
    z.strictObject({
      id: z.string(),
      runId: z.string(),
      conversationId: z.string(),
      mode: z.enum(['parked', 'live']),
      interrupt,
      status: interruptStatus,
      answer: interruptAnswer.nullable(),
      openedAt: time,
      answeredAt: time.nullable(),
    }),
  ),
);
const oneAnswer = z.strictObject({
  id: z.string().min(1).max(300),
  answer: interruptAnswer,
  shown: shown.exactOptional(),
});
export const answerInterrupts = named(
  'AnswerInterrupts',
  exactly<AnswerInterrupts>()(z.strictObject({ answers: z.array(oneAnswer).min(1).max(200) })),
);
export const answeredInterrupts = named(
  'AnsweredInterrupts',
  exactly<AnsweredInterrupts>()(
    z.strictObject({
      items: z.array(
        z.discriminatedUnion('outcome', [
          z.strictObject({ id: z.string(), outcome: z.literal('answered'), interrupt: storedInterrupt }),
          z.strictObject({ id: z.string(), outcome: z.literal('refused'), error: errorInfo }),
        ]),
      ),
    }),
  ),
);

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
    at: time,
    type: z.literal(type),
    ...shape,
  });
}

const messageId = z.string();
const tokens = z.int();
export const contextFill = z.strictObject({
  tokens,
  window: tokens,
  assumed: z.literal(true).exactOptional(),
  parts: z.strictObject({ instructions: tokens, tools: tokens, results: tokens, messages: tokens }),
});
export const modelRequest = named(
  'ModelRequestRecord',
  exactly<ModelRequestRecord>()(
    z.strictObject({
      model: z.string(),
      leafId: z.string().nullable(),
      toolChoice: z.enum(['auto', 'none']),
      toolMode: z.enum(['native', 'text']),
      parameters: modelParameters,
      at: time,
      timeZone: z.string(),
      inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
      prelude: z.string().exactOptional(),
      continues: z.array(assistantPart).exactOptional(),
      fill: contextFill,
    }),
  ),
);
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

export const runEvent = named(
  'RunEvent',
  exactly<RunEvent>()(
    z.discriminatedUnion('type', [
      event('run_started', { conversationId: z.string(), place, model: z.string(), message: userMessage }),
      event('step_started', { instruction }),
      event('steered', { message: userMessage }),
      event('request_made', { messageId, request: modelRequest }),
      event('message_started', { messageId, parentId: z.string().nullable(), model: z.string() }),
      event('text_delta', { messageId, text: z.string() }),
      event('reasoning_delta', { messageId, text: z.string() }),
      event('tool_call_started', { messageId, callId, name: z.string() }),
      event('tool_call_delta', { messageId, callId, argumentsText: z.string() }),
      event('tool_call_ready', { messageId, call: toolCallPart }),
      event('tool_call_malformed', { messageId, call: malformedToolCallPart }),
      event('message_finished', { message: assistantMessage }),
      event('attempt_abandoned', { messageId: z.string().nullable() }),
      event('interrupt_requested', { interrupt, live: z.literal(true).exactOptional() }),
      event('interrupt_answered', { interruptId: z.string(), answer: interruptAnswer }),
      event('interrupt_withdrawn', { interruptId: z.string() }),
      event('tool_started', {
        callId,
        tool: toolReference,
        name: z.string(),
        editedArguments: jsonObject.exactOptional(),
      }),
      event('tool_progress', {
        callId,
        progress: z.number(),
        total: z.number().exactOptional(),
        text: z.string().exactOptional(),
        waitsFor: z.array(z.string()).exactOptional(),
      }),
      event('tool_finished', { callId, result: toolResult, message: toolMessage, durationMs: z.number() }),
      event('run_parked', {}),
      event('run_resumed', {}),
      event('compression_started', { messages: z.int() }),
      event('compression_finished', { message: systemMessage, usage: usage.exactOptional() }),
      event('compression_failed', { error: errorInfo }),
      event('notice', { level: z.enum(['info', 'warning']), code: z.string(), text: z.string() }),
      event('run_finished', {
        status: z.enum(['done', 'failed', 'cancelled']),
        usage,
        cost: z.number().exactOptional(),
        error: errorInfo.exactOptional(),
      }),
    ]),
  ),
);
