import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server and what is under way on each. Node by itself ends those that rest between two requests,
 * and leaves open those on which none has ever come.
 */
export class Connections {
  /** Null for one that was handed over, as to a WebSocket. */
  readonly #underWay = new Map<Socket, Set<ServerResponse> | null>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#underWay.set(socket, new Set());
      socket.once('close', () => this.#underWay.delete(socket));
    });
  }

  /** A request has come, which is under way until its answer is sent, or nobody is there to take it. */
  begin({ socket }: IncomingMessage, answer: ServerResponse): void {
    const answers = this.#underWay.get(socket);
    if (!answers) return;
    answers.add(answer);
    if (this.#isEnding) answer.shouldKeepAlive = false;
    answer.once('close', () => {
      answers.delete(answer);
      if (this.#isEnding && answers.size === 0) socket.destroySoon();
    });
  }

  /** It ends when whoever has it now ends it. */
  handOver(socket: Socket): void {
    this.#underWay.set(socket, null);
  }

  /** From now on each answer is the last on its connection, and says so. */
  beginEnding(): void {
    this.#isEnding = true;
    for (const answers of this.#underWay.values()) {
      for (const answer of answers ?? []) answer.shouldKeepAlive = false;
    }
  }

  /** Ends those on which nothing is under way. */
  endIdle(): void {
    for (const [socket, answers] of this.#underWay) if (answers?.size === 0) socket.destroy();
  }

  /** Ends all of them, whatever is under way. */
  cut(): void {
    for (const socket of this.#underWay.keys()) socket.destroy();
  }
}
