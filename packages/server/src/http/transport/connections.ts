import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server and the requests in progress on each. Node closes idle keep-alive connections by itself,
 * but not those that never sent a request.
 */
export class Connections {
  /** Null for a connection that was handed over, such as to a WebSocket. */
  readonly #inProgress = new Map<Socket, Set<ServerResponse> | null>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#inProgress.set(socket, new Set());
      socket.once('close', () => this.#inProgress.delete(socket));
    });
  }

  /** Counts a request as in progress until its response is sent or the client disconnects. */
  begin({ socket }: IncomingMessage, answer: ServerResponse): void {
    const answers = this.#inProgress.get(socket);
    if (!answers) return;
    answers.add(answer);
    if (this.#isEnding) answer.shouldKeepAlive = false;
    answer.once('close', () => {
      answers.delete(answer);
      if (this.#isEnding && answers.size === 0) socket.destroySoon();
    });
  }

  /** The new owner closes the connection. */
  handOver(socket: Socket): void {
    this.#inProgress.set(socket, null);
  }

  /** From now on every response closes its connection and has the header `Connection: close`. */
  beginEnding(): void {
    this.#isEnding = true;
    for (const answers of this.#inProgress.values()) {
      for (const answer of answers ?? []) answer.shouldKeepAlive = false;
    }
  }

  /** Closes connections without a request in progress. */
  endIdle(): void {
    for (const [socket, answers] of this.#inProgress) if (answers?.size === 0) socket.destroy();
  }

  /** Closes all connections, including those with requests in progress. */
  cut(): void {
    for (const socket of this.#inProgress.keys()) socket.destroy();
  }
}
