import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';

/** Anything that can be told of in `openapi.json` under a name of its own is registered here. */
export const schemaNames = z.registry<{ id: string }>();

/** Names a schema for the OpenAPI document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  schemaNames.add(schema, { id });
  return schema;
}

export const jsonValue: z.ZodType<JsonValue> = named('JsonValue', z.json());
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), jsonValue);

/** An identifier a client may choose: what stands in an address as it is. */
export const clientId = z
  .string()
  .regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'expected 1 to 100 letters, digits or any of _ . ~ -');
/** An identifier that is looked up: whatever is not there is simply not found. */
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
 * One list of everything that can go wrong and reach a person, a model or a client.
 *
 * - model: from `invalid_key` to `empty_response`
 * - run: from `max_turns_exceeded` to `cancelled`
 * - tool: from `tool_not_found` to `outcome_unknown`
 * - MCP server: from `command_not_found` to `input_required`; one of a tab: `needs_tab`, `tab_gone`
 * - the guard: `address_refused`, for an address somebody else chose
 * - requests: from `not_found` to `too_large`; of a page that was opened before its server was made new: `outdated_page`
 * - the data folder: `storage_full`, `storage_failed`
 * - everything else: `bad_config`, `internal`
 */
export type ErrorCode = z.output<typeof errorCode>;

export const errorInfo = named(
  'ErrorInfo',
  z.strictObject({
    code: errorCode,
    /** What went wrong and where, in plain words. */
    message: z.string(),
    /** What the person can do about it. */
    hint: z.string().exactOptional(),
    /** True where the same request, sent again, may succeed. */
    retryable: z.boolean().exactOptional(),
    /** How long the other side asked us to wait, in milliseconds. */
    retryAfterMs: z.number().exactOptional(),
  }),
);
/** The part of an error that may be shown, stored and sent: no stack, no cause, no secret. */
export type ErrorInfo = z.output<typeof errorInfo>;

export const problem = named(
  'Problem',
  z.strictObject({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: errorCode,
    hint: z.string().exactOptional(),
    /** Where in the request the fault is, for an invalid body or query: `messages.0.text` with the message `must be a string (got 3)`. */
    issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).exactOptional(),
  }),
);
/** RFC 9457, with the code and hint of {@link ErrorInfo}. */
export type Problem = z.output<typeof problem>;

export const toolReference = named(
  'ToolReference',
  z.strictObject({
    serverId: z.string(),
    name: z.string(),
    /** Absent only in references of versions before this field; {@link originOf} decides about them. */
    origin: z.enum(['server', 'tab']).exactOptional(),
  }),
);
/** The only identity of a tool: in permissions, routing, storage and display. */
export type ToolReference = z.output<typeof toolReference>;
/** Where a tool runs: on an MCP server of this Toolyard (built-in tools too), or on one that a browser tab connects to. */
export type ToolOrigin = NonNullable<ToolReference['origin']>;

/** What a server says of its tool. */
export const toolAnnotations = z.strictObject({
  readOnly: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
  idempotent: z.boolean().exactOptional(),
  openWorld: z.boolean().exactOptional(),
});
/** Hints a server gives about its own tool. Untrusted, unless the owner says otherwise. */
export type ToolAnnotations = z.output<typeof toolAnnotations>;

/** What a list answers with. */
export function pageOf<T>(id: string, item: z.ZodType<T>): z.ZodType<{ items: T[]; next?: string }> {
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
/** US dollars for a million tokens. Without a rate of its own, what a cache read or was given costs as other input. */
export type Rates = z.output<typeof rates>;

export const price = named(
  'Price',
  z.strictObject({
    ...rateFields,
    /** Rates of a whole request with more input than that; of several the highest that is passed counts. */
    above: z.array(z.strictObject({ inputTokens: z.int().nonnegative(), rates })).exactOptional(),
    /** US dollars for each request, beside its tokens. */
    perRequest: dollars.exactOptional(),
  }),
);
/** What a model costs. */
export type Price = z.output<typeof price>;

/** In which way a tool is no longer what was approved. */
export const toolChange = z.strictObject({
  /** True if the server itself is another one now: another command, another address. */
  hasMoved: z.boolean(),
  differences: z.array(
    z.strictObject({ path: z.string(), before: z.string().exactOptional(), after: z.string().exactOptional() }),
  ),
});
/** In which way a tool differs from what was approved. */
export type ToolChange = z.output<typeof toolChange>;
/** One place in which a definition is no longer what it was; `before` and `after` are JSON, cut where they are long. */
export type ToolDifference = ToolChange['differences'][number];
