import type { IncomingMessage, ServerResponse } from 'node:http';

/** The CORS headers of a server; the defaults allow an MCP client in a page of another origin. */
export type Cors = {
  allowOrigin?: string;
  allowHeaders?: string;
  allowMethods?: string;
  /** Empty exposes nothing. */
  exposeHeaders?: string;
  /** The status of a preflight response; default 204. */
  preflightStatus?: number;
};

/** Sets the headers of a response; true if the request was a preflight, which is answered then. */
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
