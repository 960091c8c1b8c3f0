import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';

/** Schemas with a name of their own in `openapi.json`. */
export const schemaNames = z.registry<{ id: string }>();

/** Names a schema for the OpenAPI document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  schemaNames.add(schema, { id });
  return schema;
}

/** An object schema with a name, which accepts no other properties. */
export function namedObject<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return named(id, z.strictObject(shape));
}

export const jsonValue: z.ZodType<JsonValue> = named('JsonValue', z.json());
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), jsonValue);

/** An id that a client may choose; URL-safe without escaping. */
export const clientId = z
  .string()
  .regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'expected 1 to 100 letters, digits or any of _ . ~ -');
/** An id to look up: one of the wrong form is not found. */
export const existingId = z.string().min(1).max(300);
export const timestamp = z.int().describe('Milliseconds since 1970');

export const titleText = z.string().max(500);

export const errorCode = z.enum([
  'invalid_key',
  'quota_exceeded',
  'rate_limited',
  'context_exceeded',
  'model_not_found',
  'overloaded',
  'network',
  'stream_broken',
  'refused',
  'timed_out',
  'bad_request',
  'bad_response',
  'not_a_model_server',
  'no_response',
  'empty_response',
  'max_turns_exceeded',
  'time_limit_exceeded',
  'budget_exceeded',
  'repeated_call',
  'cancelled',
  'tool_not_found',
  'invalid_arguments',
  'malformed_tool_call',
  'tool_refused',
  'tool_failed',
  'outcome_unknown',
  'command_not_found',
  'server_exited',
  'server_unreachable',
  'server_refused',
  'server_closed',
  'needs_sign_in',
  'input_required',
  'needs_tab',
  'tab_gone',
  'process_gone',
  'address_refused',
  'not_found',
  'conflict',
  'unauthorized',
  'forbidden',
  'too_large',
  'outdated_page',
  'storage_full',
  'storage_failed',
  'bad_config',
  'internal',
]);
/**
 * All errors that reach a user, a model or a client.
 *
 * - model: from `invalid_key` to `empty_response`
 * - run: from `max_turns_exceeded` to `cancelled`
 * - tool: from `tool_not_found` to `outcome_unknown`
 * - MCP server: from `command_not_found` to `input_required`; of a tab: `needs_tab`, `tab_gone`,
 *   `process_gone`
 * - guarded fetch: `address_refused`, for a URL that the operator did not enter
 * - requests: from `not_found` to `too_large`; of a page that is older than its server: `outdated_page`
 * - data folder: `storage_full`, `storage_failed`
 * - everything else: `bad_config`, `internal`
 */
export type ErrorCode = z.output<typeof errorCode>;

/** An English text of Toolyard without its values: `Cannot connect to {0}.` Pages in other languages have its translation. */
export type TextTemplate = {
  template: string;
  /** A value is data, or a text that has a translation as well. */
  values?: (string | TextTemplate)[];
};

export const textTemplate: z.ZodType<TextTemplate> = namedObject('TextTemplate', {
  template: z.string(),
  get values() {
    return z.array(z.union([z.string(), textTemplate])).exactOptional();
  },
});
/** The templates of the English texts of an object, by the names of their fields. */
export const textTemplates = named('TextTemplates', z.record(z.string(), textTemplate));
export type TextTemplates = z.output<typeof textTemplates>;

export const errorInfo = namedObject('ErrorInfo', {
  code: errorCode,
  /** What happened and where, for the user. */
  message: z.string(),
  /** What the user can do about it. */
  hint: z.string().exactOptional(),
  /** True if the same request may succeed later. */
  retryable: z.boolean().exactOptional(),
  /** How long to wait before the next attempt, in milliseconds, if the other side said so. */
  retryAfterMs: z.number().exactOptional(),
  /** Of `message` and `hint`. */
  templates: textTemplates.exactOptional(),
});
/** The part of an error that may be shown, stored and sent: no stack, no cause, no secret. */
export type ErrorInfo = z.output<typeof errorInfo>;

export const problem = namedObject('Problem', {
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: errorCode,
  hint: z.string().exactOptional(),
  /** Where in the request the fault is, for an invalid body or query: `messages.0.text` with the message `must be a string (got 3)`. */
  issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).exactOptional(),
  /** Of `detail` and `hint`. */
  templates: textTemplates.exactOptional(),
});
/** RFC 9457, with the code and hint of {@link ErrorInfo}. */
export type Problem = z.output<typeof problem>;

export const toolReference = namedObject('ToolReference', {
  serverId: z.string(),
  name: z.string(),
  /** Absent: `server`. */
  origin: z.enum(['server', 'tab']).exactOptional(),
});
/** The only identity of a tool: for permissions, routing, storage and display. */
export type ToolReference = z.output<typeof toolReference>;
/**
 * Where a tool runs: on an MCP server of this Toolyard (including built-in tools), or on one that a browser tab
 * connects to.
 */
export type ToolOrigin = NonNullable<ToolReference['origin']>;

export const agentReference = namedObject('AgentReference', {
  id: z.string(),
  title: z.string(),
  avatar: z.string().exactOptional(),
});
/** An agent with its name and emoji at that time: it may have been changed or deleted since. */
export type AgentReference = z.output<typeof agentReference>;

/** Annotations as the server declares them. */
export const toolAnnotations = z.strictObject({
  readOnly: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
  idempotent: z.boolean().exactOptional(),
  openWorld: z.boolean().exactOptional(),
});
/** Hints of a server about its own tool. Untrusted, unless the operator marks the server as trusted. */
export type ToolAnnotations = z.output<typeof toolAnnotations>;

/** The response of a list. */
export function createPageSchema<T>(id: string, item: z.ZodType<T>): z.ZodType<{ items: T[]; next?: string }> {
  return named(id, z.strictObject({ items: z.array(item), next: z.string().exactOptional() }));
}

const dollars = z.number().nonnegative();
const rateFields = {
  inputPerMillion: dollars,
  outputPerMillion: dollars,
  cachedInputPerMillion: dollars.exactOptional(),
  cacheWritePerMillion: dollars.exactOptional(),
};
const rates = z.strictObject(rateFields);
/** US dollars per million tokens. Cache reads and writes without a rate of their own cost as much as other input. */
export type Rates = z.output<typeof rates>;

export const price = namedObject('Price', {
  ...rateFields,
  /** Rates for a whole request with more input than that; the highest exceeded threshold applies. */
  above: z.array(z.strictObject({ inputTokens: z.int().nonnegative(), rates })).exactOptional(),
  /** US dollars per request, in addition to its tokens. */
  perRequest: dollars.exactOptional(),
});
/** The price of a model. */
export type Price = z.output<typeof price>;

/** How a tool differs from its approved definition. */
export const toolChange = z.strictObject({
  /** True if the server itself changed: its command or its URL. */
  hasMoved: z.boolean(),
  differences: z.array(
    z.strictObject({ path: z.string(), before: z.string().exactOptional(), after: z.string().exactOptional() }),
  ),
});
/** How a tool differs from its approved definition. */
export type ToolChange = z.output<typeof toolChange>;
/** A difference between two definitions; `before` and `after` are JSON, truncated if long. */
export type ToolDifference = ToolChange['differences'][number];

/** What identifies a model. */
export const modelFields = { providerId: z.string().min(1), modelId: z.string().min(1) };

/** The API key or incoming webhook that started the run, or whose tab sent the request; absent: the user. */
export const askedBy = namedObject('AskedBy', { kind: z.enum(['key', 'trigger']), name: z.string() });
export type AskedBy = z.output<typeof askedBy>;
