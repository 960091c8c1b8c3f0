/**
 * How many requests to the user may be open at a time, for every way in which a server can ask: elicitation, sampling
 * and inputs of a call, on the server and in a tab, and dialogs of an app.
 */
export const MAX_OPEN_REQUESTS = {
  /** Of an MCP server during one tool call. */
  perCall: 8,
  /** Of an MCP server in all. */
  perServer: 24,
  /** Of one app. */
  perApp: 3,
} as const;
