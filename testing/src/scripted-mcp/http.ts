import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '@toolyard/protocol';
import type { Protection } from '../authorization/protection.ts';
import { getBehaviour, type HttpAnswer, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';
import { answerCors, type Cors } from './cors.ts';
import { createEngine, versionClaimed } from './engine.ts';
import { listenOnLoopback } from '../loopback.ts';
import { readMessage } from './read-message.ts';

export type ScriptedMcpOptions = {
  /** Default: a free one. */
  port?: number;
  /** False serves the legacy era without session ids. */
  sessions?: boolean;
  /** Requests without this bearer token are answered with 401. */
  requireToken?: string;
  /** The authorization it requires. */
  protection?: Protection;
  /** The file in which tools count. */
  countFile?: string;
  /** Sends its own requests on the GET stream of the client instead of the stream of the call. */
  requestsOnGetStream?: true;
  /** Allows pages of other origins (CORS); otherwise a browser blocks them. */
  cors?: Cors;
};

/** An HTTP request as received. */
export type ScriptedMcpRequest = { method: string; headers: IncomingHttpHeaders };

/** A scripted MCP server over Streamable HTTP. */
export type ScriptedMcp = AsyncDisposable & {
  url: string;
  /** Every HTTP request, oldest first, whatever its response. */
  requests: readonly ScriptedMcpRequest[];
  /** Every received message, oldest first. */
  received: readonly JsonObject[];
  /** The methods of the sent answers, oldest first. */
  answered: readonly string[];
  /** The number of open sessions. */
  readonly sessionCount: number;
  /** Sends a notification. */
  announce(method: string, params?: JsonObject): void;
  /** Ends the streams on which clients listen. */
  dropStreams(): void;
  /** Drops every session, like a restart: the next request gets 404. */
  forgetSessions(): void;
  /** Drops all connections and stops listening; idempotent. */
  close(): Promise<void>;
};

/**
 * Starts a scripted MCP server on a free port of 127.0.0.1. An exit of the behaviour drops every connection and stops
 * listening.
 *
 * @example
 * await using server = await startScriptedMcp('slow-with-progress');
 */
export async function startScriptedMcp(
  chosen: McpBehaviourName | McpBehaviour = {},
  options: ScriptedMcpOptions = {},
): Promise<ScriptedMcp> {
  const behaviour = getBehaviour(chosen);
  const requests: ScriptedMcpRequest[] = [];
  const received: JsonObject[] = [];
  const answered: string[] = [];
  const sessions = new Set<string>();
  const listeners = new Map<ServerResponse, string>();
  /** Requests that wait for the GET stream of their client. */
  let held: { client: string; message: JsonObject }[] = [];
  const hasSessions = options.sessions !== false;

  const engine = createEngine(behaviour, {
    exit: () => void close(),
    noise: () => {},
    broadcast(message) {
      for (const listener of listeners.keys()) listener.write(toEvent(message));
    },
    countFile: options.countFile,
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if (answerCors(request, response, options.cors)) return;
    const instead = behaviour.httpAnswers?.['*'];
    if (instead !== undefined) return answerInstead(response, instead);
    const { authorization } = request.headers;
    if (options.requireToken !== undefined && authorization !== `Bearer ${options.requireToken}`) {
      return refuse(response, 401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
    }
    const document = options.protection?.document(request.url ?? '', getOrigin(request));
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    if (request.url !== '/mcp') return refuse(response, 404, 'Not Found');
    if (request.method !== 'POST' && isRefused(request, response, undefined)) return;
    switch (request.method) {
      case 'POST':
        return handlePost(request, response);
      case 'GET':
        return handleGet(request, response);
      case 'DELETE':
        if (!sessions.delete(getSessionId(request))) return refuse(response, 404, 'Session not found');
        response.writeHead(200).end();
        return;
      default:
        return refuse(response, 405, 'Method Not Allowed');
    }
  }

  async function handlePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await readMessage(request);
    if (message === undefined) return refuse(response, 400, 'Parse error');
    if (isRefused(request, response, message)) return;
    received.push(message);
    const { method } = message;
    if (typeof method === 'string') response.once('finish', () => answered.push(method));
    const instead = typeof method === 'string' ? behaviour.httpAnswers?.[method] : undefined;
    if (instead !== undefined) return answerInstead(response, instead);
    const headers: Record<string, string> = {};
    if (method === 'initialize') {
      if (hasSessions) headers['mcp-session-id'] = openSession();
    } else if (needsSession(message) && !sessions.has(getSessionId(request))) {
      if (getSessionId(request) === '') return refuse(response, 400, 'Bad Request: no session id');
      return refuse(response, 404, 'Session not found');
    }
    const client = headers['mcp-session-id'] ?? getSessionId(request);
    if (message['id'] === undefined || method === undefined) {
      engine.receive(message, () => {}, client);
      response.writeHead(202, headers).end();
      return;
    }
    const send = (answer: JsonObject, last: boolean): void => {
      const isRequest = answer['method'] !== undefined && answer['id'] !== undefined;
      if (!isRequest || options.requestsOnGetStream !== true) return sendOn(response, headers, answer, last);
      held.push({ client, message: answer });
      sendHeld();
    };
    const stop = engine.receive(message, send, client);
    response.once('close', stop);
  }

  function isRefused(request: IncomingMessage, response: ServerResponse, message: JsonObject | undefined): boolean {
    const { authorization } = request.headers;
    const refusal = options.protection?.refuse({ authorization, message, origin: getOrigin(request) });
    if (refusal === undefined) return false;
    refuse(response, refusal.status, 'Not allowed', { 'www-authenticate': refusal.challenge });
    return true;
  }

  function handleGet(request: IncomingMessage, response: ServerResponse): void {
    if (!hasSessions || !sessions.has(getSessionId(request))) return refuse(response, 405, 'Method Not Allowed');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    listeners.set(response, getSessionId(request));
    response.once('close', () => listeners.delete(response));
    sendHeld();
  }

  function sendHeld(): void {
    for (const [listener, session] of listeners) {
      for (const { client, message } of held) if (client === session) listener.write(toEvent(message));
      held = held.filter(({ client }) => client !== session);
    }
  }

  function openSession(): string {
    const session = randomUUID();
    sessions.add(session);
    return session;
  }

  /** A legacy server ignores the version in a stateless request and requires a session. */
  function needsSession(message: JsonObject): boolean {
    const isStateless = (behaviour.era ?? 'legacy') !== 'legacy' && versionClaimed(message) !== undefined;
    return hasSessions && !isStateless;
  }

  // A keep-alive timeout would close a connection on which a request has arrived while this process was blocked.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server, options.port);

  async function close(): Promise<void> {
    engine.stop();
    await listening.close();
  }

  return {
    url: `${listening.origin}/mcp`,
    requests,
    received,
    answered,
    get sessionCount() {
      return sessions.size;
    },
    announce: (method, params = {}) => engine.announce({ jsonrpc: '2.0', method, params }),
    dropStreams() {
      for (const listener of listeners.keys()) listener.end();
    },
    forgetSessions: () => sessions.clear(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** An answer that comes first is plain JSON; any earlier message makes the response an event stream. */
function sendOn(response: ServerResponse, headers: Record<string, string>, message: JsonObject, last: boolean): void {
  if (response.destroyed) return;
  if (last && !response.headersSent) {
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(message));
    return;
  }
  if (!response.headersSent) response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  response.write(toEvent(message));
  if (last) response.end();
}

function answerInstead(response: ServerResponse, answer: HttpAnswer): void {
  if (answer === 'cut') {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

function toEvent(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function refuse(response: ServerResponse, status: number, problem: string, headers: Record<string, string> = {}): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message: problem } };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function getOrigin(request: IncomingMessage): string {
  return `http://${request.headers.host ?? ''}`;
}

function getSessionId(request: IncomingMessage): string {
  return String(request.headers['mcp-session-id'] ?? '');
}
