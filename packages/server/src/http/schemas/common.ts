import type {
  ErrorCode,
  ErrorInfo,
  JsonObject,
  JsonValue,
  Price,
  Problem,
  Rates,
  ToolAnnotations,
  ToolChange,
  ToolReference,
} from '@toolyard/protocol';
import { z } from 'zod';
import { exactly } from './exactly.ts';

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
export const newId = z
  .string()
  .regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'expected 1 to 100 letters, digits or any of _ . ~ -');
/** An identifier that is looked up: whatever is not there is simply not found. */
export const anId = z.string().min(1).max(300);
export const time = z.int().describe('Milliseconds since 1970');

export const title = z.string().max(500);

const ERROR_CODES = {
  invalid_key: true,
  quota_exceeded: true,
  rate_limited: true,
  context_exceeded: true,
  model_not_found: true,
  overloaded: true,
  network: true,
  stream_broken: true,
  refused: true,
  timed_out: true,
  bad_request: true,
  bad_response: true,
  not_a_model_server: true,
  no_response: true,
  empty_response: true,
  max_turns_exceeded: true,
  time_limit_exceeded: true,
  budget_exceeded: true,
  repeated_call: true,
  cancelled: true,
  tool_not_found: true,
  invalid_arguments: true,
  malformed_tool_call: true,
  tool_refused: true,
  tool_failed: true,
  outcome_unknown: true,
  command_not_found: true,
  server_exited: true,
  server_unreachable: true,
  server_refused: true,
  server_closed: true,
  needs_sign_in: true,
  input_required: true,
  needs_tab: true,
  tab_gone: true,
  address_refused: true,
  not_found: true,
  conflict: true,
  unauthorized: true,
  forbidden: true,
  too_large: true,
  outdated_page: true,
  storage_full: true,
  storage_failed: true,
  bad_config: true,
  internal: true,
} as const satisfies Record<ErrorCode, true>;

const errorCode = z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]);

export const errorInfo = named(
  'ErrorInfo',
  exactly<ErrorInfo>()(
    z.strictObject({
      code: errorCode,
      message: z.string(),
      hint: z.string().exactOptional(),
      retryable: z.boolean().exactOptional(),
      retryAfterMs: z.number().exactOptional(),
    }),
  ),
);

export const problem = named(
  'Problem',
  exactly<Problem>()(
    z.strictObject({
      type: z.literal('about:blank'),
      title: z.string(),
      status: z.int(),
      detail: z.string(),
      code: errorCode,
      hint: z.string().exactOptional(),
      issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).exactOptional(),
    }),
  ),
);

export const toolReference = named(
  'ToolReference',
  exactly<ToolReference>()(
    z.strictObject({ serverId: z.string(), name: z.string(), origin: z.enum(['server', 'tab']).exactOptional() }),
  ),
);

/** What a server says of its tool. */
export const toolAnnotations = exactly<ToolAnnotations>()(
  z.strictObject({
    readOnly: z.boolean().exactOptional(),
    destructive: z.boolean().exactOptional(),
    idempotent: z.boolean().exactOptional(),
    openWorld: z.boolean().exactOptional(),
  }),
);

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
const rates = exactly<Rates>()(z.strictObject(rateFields));

export const price = named(
  'Price',
  exactly<Price>()(
    z.strictObject({
      ...rateFields,
      above: z.array(z.strictObject({ inputTokens: z.int().nonnegative(), rates })).exactOptional(),
      perRequest: dollars.exactOptional(),
    }),
  ),
);

/** In which way a tool is no longer what was approved. */
export const toolChange = exactly<ToolChange>()(
  z.strictObject({
    hasMoved: z.boolean(),
    differences: z.array(
      z.strictObject({ path: z.string(), before: z.string().exactOptional(), after: z.string().exactOptional() }),
    ),
  }),
);
