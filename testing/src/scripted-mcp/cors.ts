import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a server tells browsers about pages that lie elsewhere; a field left out is what lets an MCP client in. */
export type Cors = {
  allowOrigin?: string;
  allowHeaders?: string;
  allowMethods?: string;
  /** Empty exposes nothing. */
  exposeHeaders?: string;
  /** Of the answer to a browser's question for permission; default 204. */
  preflightStatus?: number;
};

/** Puts the headers on an answer; true where the request was only that question, which is answered then. */
export function answerCors(request: IncomingMessage, response: ServerResponse, cors: Cors | undefined): boolean {
  if (cors === undefined) return false;
  const {
    allowOrigin = '*',
    allowHeaders = 'content-type, authorization, mcp-session-id, mcp-protocol-version, last-event-id, *',
    allowMethods = 'GET, POST, DELETE',
    exposeHeaders = 'mcp-session-id, www-authenticate',
    preflightStatus = 204,
  } = cors;
  if (allowOrigin !== '') response.setHeader('access-control-allow-origin', allowOrigin);
  if (exposeHeaders !== '') response.setHeader('access-control-expose-headers', exposeHeaders);
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('access-control-allow-headers', allowHeaders);
  response.setHeader('access-control-allow-methods', allowMethods);
  response.writeHead(preflightStatus).end();
  return true;
}
