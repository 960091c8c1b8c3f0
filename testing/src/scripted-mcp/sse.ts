import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '@toolyard/protocol';
import { getBehaviour, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';
import { answerCors, type Cors } from './cors.ts';
import { createEngine } from './engine.ts';
import { listenOnLoopback } from '../loopback.ts';
import { readMessage } from './read-message.ts';

/** A scripted MCP server over HTTP+SSE of 2024-11-05, without Streamable HTTP. */
export type ScriptedSse = AsyncDisposable & {
  /** The URL of its stream, `/sse`. */
  url: string;
  /** The number of open streams. */
  readonly streamCount: number;
  /** Every received message, oldest first. */
  received: readonly JsonObject[];
  /** Method and path of every request, oldest first. */
  requests: readonly string[];
  /** Ends all streams; the server keeps running. */
  dropStreams(): void;
  /** Idempotent. */
  close(): Promise<void>;
};

export async function startScriptedSse(
  chosen: McpBehaviourName | McpBehaviour = {},
  options: { port?: number; cors?: Cors } = {},
): Promise<ScriptedSse> {
  const streams = new Map<string, ServerResponse>();
  const received: JsonObject[] = [];
  const requests: string[] = [];
  const engine = createEngine(getBehaviour(chosen), {
    exit: () => void close(),
    noise: () => {},
    broadcast(message) {
      for (const stream of streams.values()) write(stream, 'message', JSON.stringify(message));
    },
    countFile: undefined,
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method ?? ''} ${url.pathname}`);
    if (answerCors(request, response, options.cors)) return;
    if (request.method === 'GET' && url.pathname === '/sse') return openStream(response);
    const session = url.searchParams.get('session') ?? '';
    const stream = streams.get(session);
    if (request.method !== 'POST' || url.pathname !== '/messages') {
      response.writeHead(request.method === 'POST' ? 405 : 404).end();
      return;
    }
    const message = await readMessage(request);
    if (stream === undefined || message === undefined) {
      response.writeHead(400).end();
      return;
    }
    received.push(message);
    response.writeHead(202).end('Accepted');
    engine.receive(message, (answer) => write(stream, 'message', JSON.stringify(answer)), session);
  }

  function openStream(response: ServerResponse): void {
    const session = randomUUID();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.set(session, response);
    response.once('close', () => streams.delete(session));
    write(response, 'endpoint', `/messages?session=${session}`);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server, options.port);

  async function close(): Promise<void> {
    engine.stop();
    await listening.close();
  }

  return {
    url: `${listening.origin}/sse`,
    get streamCount() {
      return streams.size;
    },
    received,
    requests,
    dropStreams() {
      for (const stream of streams.values()) stream.end();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function write(stream: ServerResponse, event: string, data: string): void {
  if (!stream.destroyed) stream.write(`event: ${event}\ndata: ${data}\n\n`);
}
