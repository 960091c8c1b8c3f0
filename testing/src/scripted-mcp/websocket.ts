import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import { getBehaviour, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';
import { createEngine } from './engine.ts';
import { listenOnLoopback } from '../loopback.ts';
import { closeFrame, createFrameReader, pongFrame, textFrame } from './websocket-frames.ts';

const HANDSHAKE_KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A scripted MCP server over WebSockets with the subprotocol `mcp`. */
export type ScriptedWebSocket = AsyncDisposable & {
  /** `ws://127.0.0.1:...` */
  url: string;
  /** Every received message, oldest first. */
  received: readonly JsonObject[];
  /** The headers of every handshake, oldest first. */
  handshakes: readonly IncomingHttpHeaders[];
  readonly connectionCount: number;
  /** Closes all connections with a close code, or drops them. */
  dropConnections(how: number | 'cut'): void;
  /** Sends text that is not a message to every client. */
  noise(text: string): void;
  /** Idempotent. */
  close(): Promise<void>;
};

export async function startScriptedWebSocket(
  chosen: McpBehaviourName | McpBehaviour = {},
  options: { subprotocol?: string; port?: number } = {},
): Promise<ScriptedWebSocket> {
  const received: JsonObject[] = [];
  const handshakes: IncomingHttpHeaders[] = [];
  const sockets = new Set<Duplex>();
  const engine = createEngine(getBehaviour(chosen), {
    exit: () => void close(),
    noise: (line) => sendToAll(line),
    broadcast: (message) => sendToAll(JSON.stringify(message)),
    countFile: undefined,
  });
  let clients = 0;

  const server = createServer((_request, response) => void response.writeHead(426).end());
  server.on('upgrade', (request, socket) => {
    handshakes.push(request.headers);
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1').update(`${key}${HANDSHAKE_KEY}`).digest('base64');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${options.subprotocol ?? 'mcp'}\r\n\r\n`,
    );
    serve(socket, `client-${++clients}`);
  });

  function serve(socket: Duplex, client: string): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    // HTTP server sockets may be half open, which WebSockets do not support.
    socket.on('end', () => socket.end());
    socket.once('close', () => sockets.delete(socket));
    const read = createFrameReader();
    socket.on('data', (chunk: Buffer) => {
      for (const frame of read(chunk)) {
        if (frame.kind === 'ping') socket.write(pongFrame(frame.payload));
        else if (frame.kind === 'close') socket.end(closeFrame(1000));
        else receive(frame.text, socket, client);
      }
    });
  }

  function receive(text: string, socket: Duplex, client: string): void {
    const parsed = parseJson(text);
    if (!parsed.ok || !isJsonObject(parsed.value)) return;
    received.push(parsed.value);
    engine.receive(parsed.value, (answer) => sendTo(socket, JSON.stringify(answer)), client);
  }

  function sendToAll(text: string): void {
    for (const socket of sockets) sendTo(socket, text);
  }

  const listening = await listenOnLoopback(server, options.port);

  async function close(): Promise<void> {
    engine.stop();
    for (const socket of sockets) socket.destroy();
    await listening.close();
  }

  return {
    url: `${listening.origin.replace('http', 'ws')}/mcp`,
    received,
    handshakes,
    get connectionCount() {
      return sockets.size;
    },
    dropConnections(how) {
      for (const socket of sockets) {
        if (how === 'cut') socket.destroy();
        else socket.end(closeFrame(how));
      }
    },
    noise: sendToAll,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function sendTo(socket: Duplex, text: string): void {
  if (!socket.destroyed) socket.write(textFrame(text));
}
