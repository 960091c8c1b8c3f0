import { systemClock } from '@toolyard/protocol';
import {
  anthropicEvents,
  anthropicReply,
  geminiReply,
  reply,
  responsesEvents,
  responsesReply,
  type ModelReply,
  type ScriptedWireOptions as ReplyOptions,
} from '@toolyard/testing';
import type { JsonObject } from '@toolyard/protocol';
import { createModelRuntime, type ModelRuntimeOptions } from '../create-runtime.ts';
import type { ModelRuntime } from '../types.ts';
import type { WireName } from '@toolyard/protocol';

type ScriptedCall = { id: string; name: string; arguments: JsonObject };

/** The wires whose answers are server-sent events; the tests of Converse, with its frames, are beside it. */
export type EventWire = Exclude<WireName, 'bedrock-converse'>;

/** The scripted responses of each wire's provider. */
export type WireScript = {
  wire: EventWire;
  /** The path of a chat request, below the version. */
  path: RegExp;
  version: 'v1' | 'v1beta';
  text(text: string, options?: ReplyOptions): ModelReply;
  calls(calls: readonly ScriptedCall[], options?: ReplyOptions): ModelReply;
  /** Half an answer and then nothing. */
  half(text: string, options?: ReplyOptions): ModelReply;
  /** Half an answer, then the provider's overload error. */
  failing(text: string): ModelReply;
  /** The overload error alone. */
  failingAtOnce: ModelReply;
  /** A whole answer as one JSON object. */
  json(text: string): JsonObject;
  /** The provider's errors, in its own format. */
  errors: Record<'key' | 'model' | 'context' | 'rate' | 'quota' | 'overloaded' | 'request', [number, JsonObject]>;
};

function anthropicError(type: string, message: string): JsonObject {
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

function openAiError(message: string, code: string | null, type = 'invalid_request_error'): JsonObject {
  return { error: { message, type, param: null, code } };
}

function googleError(code: number, status: string, message: string, details: JsonObject[] = []): JsonObject {
  return { error: { code, message, status, details } };
}

const openAiErrors: WireScript['errors'] = {
  key: [401, openAiError('Incorrect API key provided', 'invalid_api_key')],
  model: [404, openAiError('The model `scripted` does not exist', 'model_not_found')],
  context: [400, openAiError('Your input exceeds the context window of this model', 'context_length_exceeded')],
  rate: [429, openAiError('Rate limit reached', 'rate_limit_exceeded', 'requests')],
  quota: [429, openAiError('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
  overloaded: [503, openAiError('The engine is currently overloaded', null, 'server_error')],
  request: [400, openAiError("Invalid type for 'messages'", 'invalid_type')],
};

export const WIRE_SCRIPTS: readonly WireScript[] = [
  {
    wire: 'openai-chat',
    path: /\/chat\/completions$/,
    version: 'v1',
    text: (text, options) => reply.text(text, options),
    calls: (calls, options) => reply.toolCalls(calls, options),
    half: (text, options) => reply.text(text, { finish: null, done: false, ...options }),
    failing: (text) =>
      reply.text(text, { errorInStream: { error: { message: 'overloaded', type: 'overloaded_error' } } }),
    failingAtOnce: reply.events([{ error: { message: 'overloaded', type: 'overloaded_error' } }]),
    json: (text) => ({ choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] }),
    errors: openAiErrors,
  },
  {
    wire: 'openai-responses',
    path: /\/responses$/,
    version: 'v1',
    text: (text, options) => responsesReply(text, options),
    calls: (calls, options) =>
      responsesReply(
        calls.map((call) => ({ type: 'function_call', callId: call.id, name: call.name, arguments: call.arguments })),
        options,
      ),
    half: (text, options) =>
      responsesEvents([{ type: 'response.output_text.delta', output_index: 0, delta: text }], options),
    failing: (text) =>
      responsesEvents([
        { type: 'response.output_text.delta', output_index: 0, delta: text },
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'overloaded', message: 'overloaded' }, output: [] },
        },
      ]),
    failingAtOnce: responsesEvents([{ type: 'error', code: 'overloaded', message: 'overloaded', param: null }]),
    json: (text) => ({
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }],
    }),
    errors: openAiErrors,
  },
  {
    wire: 'anthropic-messages',
    path: /\/messages$/,
    version: 'v1',
    text: (text, options) => anthropicReply(text, options),
    calls: (calls, options) =>
      anthropicReply(
        calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments })),
        options,
      ),
    half: (text, options) => anthropicReply(text, { withoutEnd: true, ...options }),
    failing: (text) => anthropicReply(text, { errorInStream: { type: 'overloaded_error', message: 'Overloaded' } }),
    failingAtOnce: anthropicEvents([anthropicError('overloaded_error', 'Overloaded')]),
    json: (text) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
    errors: {
      key: [401, anthropicError('authentication_error', 'invalid x-api-key')],
      model: [404, anthropicError('not_found_error', 'model: scripted')],
      context: [400, anthropicError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
      rate: [429, anthropicError('rate_limit_error', 'This request would exceed your rate limit')],
      quota: [402, anthropicError('billing_error', 'Your credit balance is too low')],
      overloaded: [529, anthropicError('overloaded_error', 'Overloaded')],
      request: [400, anthropicError('invalid_request_error', 'messages: at least one message is required')],
    },
  },
  {
    wire: 'google-gemini',
    path: /\/models\/scripted:streamGenerateContent\?alt=sse$/,
    version: 'v1beta',
    text: (text, options) => geminiReply(text, options),
    calls: (calls, options) =>
      geminiReply(
        calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: call.arguments } })),
        options,
      ),
    half: (text, options) => geminiReply(text, { finishReason: null, ...options }),
    failing: (text) =>
      reply.events([
        { candidates: [{ content: { role: 'model', parts: [{ text }] } }] },
        googleError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      ]),
    failingAtOnce: reply.events([googleError(503, 'UNAVAILABLE', 'The model is overloaded.')]),
    json: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] }),
    errors: {
      key: [
        400,
        googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
        ]),
      ],
      model: [404, googleError(404, 'NOT_FOUND', 'models/scripted is not found for API version v1beta')],
      context: [
        400,
        googleError(400, 'INVALID_ARGUMENT', 'The input token count (2000000) exceeds the maximum number of tokens'),
      ],
      rate: [
        429,
        googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan', [
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
        ]),
      ],
      quota: [
        429,
        googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan', [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
          },
        ]),
      ],
      overloaded: [503, googleError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')],
      request: [400, googleError(400, 'INVALID_ARGUMENT', 'Invalid value at contents')],
    },
  },
];

/** A runtime over one wire, without retries unless a test sets them. */
export function runtimeOver(wire: WireName, baseUrl: string, more: Partial<ModelRuntimeOptions> = {}): ModelRuntime {
  const options = { baseUrl, fetch: globalThis.fetch, clock: systemClock, maxRetries: 0, ...more, wire };
  return createModelRuntime(options as ModelRuntimeOptions);
}
