import { ToolyardError } from '@toolyard/protocol';
import type { CallOptions } from './types.ts';

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

/**
 * The additional headers of one request: its own, and `traceparent` (W3C Trace Context) for its trace. Throws
 * ToolyardError `bad_request` for an invalid trace id.
 */
export function callHeaders({ headers, traceId }: CallOptions): Readonly<Record<string, string>> {
  if (traceId === undefined) return headers ?? {};
  if (!TRACE_ID.test(traceId)) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `"traceId" must have 32 lowercase hexadecimal digits, not all 0 (got ${JSON.stringify(traceId.slice(0, 40))}).`,
    });
  }
  return { traceparent: `00-${traceId}-${getParent(traceId)}-01`, ...headers };
}

/** The span of the caller is unknown here. Any id that is not all 0 is valid and keeps the trace together. */
function getParent(traceId: string): string {
  const last = traceId.slice(16);
  return /^0+$/.test(last) ? traceId.slice(0, 16) : last;
}
