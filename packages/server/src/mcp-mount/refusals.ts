/** Codes of JSON-RPC, and of MCP's own range, that a request may be refused with before any server sees it. */
export const PARSE_ERROR = -32_700;
export const INTERNAL_ERROR = -32_603;
export const SESSION_NOT_FOUND = -32_001;
/** What has no code of its own. */
export const REFUSED = -32_000;

/** An error as JSON-RPC has it. It answers no request by id: none was read, or none is to be trusted. */
export function refuse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
