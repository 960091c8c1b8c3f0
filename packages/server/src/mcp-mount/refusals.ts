/** JSON-RPC error codes, and codes of MCP's own range, for requests that are rejected before a server sees them. */
export const PARSE_ERROR = -32_700;
export const INTERNAL_ERROR = -32_603;
export const SESSION_NOT_FOUND = -32_001;
/** Generic server error. */
export const REFUSED = -32_000;

/** A JSON-RPC error response without an id: the id was not read, or cannot be trusted. */
export function refuse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
