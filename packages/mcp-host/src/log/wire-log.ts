import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { REDACTED } from './redact.ts';

/** How much of one message is kept, in characters. */
const MAX_TEXT_LENGTH = 4_000;
const MAX_VALUE_LENGTH = 500;
const SECRET_KEY = /token|secret|passw|authorization|api[-_]?key|cookie|credential|^requestState$/i;

/** One JSON-RPC message as sent or received, shortened and without secrets. */
export type WireEntry = {
  /** Increases with every message of the server. */
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  direction: 'sent' | 'received';
  kind: 'request' | 'notification' | 'result' | 'error';
  method?: string;
  id?: string | number;
  /** JSON, possibly cut. */
  text: string;
};

/** The last messages of one server, over all its connections. */
export class WireLog {
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  readonly #limit: number;
  readonly #entries: WireEntry[] = [];
  #last = 0;

  /** @param kept how many messages are kept */
  constructor(clock: Clock, redact: (text: string) => string, limit: number) {
    this.#clock = clock;
    this.#redact = redact;
    this.#limit = limit;
  }

  /** Only the part that is kept is serialized, because a message may be large. */
  add(direction: WireEntry['direction'], message: JSONRPCMessage): void {
    if (this.#limit === 0) return;
    const { method, id } = message as { method?: string; id?: string | number };
    const kind =
      method !== undefined ? (id === undefined ? 'notification' : 'request') : 'error' in message ? 'error' : 'result';
    this.#entries.push({
      number: ++this.#last,
      at: this.#clock.now(),
      direction,
      kind,
      ...defined({ method, id }),
      text: this.#redact(toPreview(message)),
    });
    if (this.#entries.length > this.#limit) this.#entries.shift();
  }

  /** Oldest first. */
  entries(): WireEntry[] {
    return [...this.#entries];
  }
}

/** The beginning of a message as JSON; long values are cut, and values of secret-looking keys are redacted. */
export function toPreview(message: unknown): string {
  let remaining = MAX_TEXT_LENGTH;
  const write = (value: unknown): string => {
    if (remaining <= 0) return '…';
    if (typeof value === 'string') {
      const text = value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
      remaining -= text.length;
      return JSON.stringify(text);
    }
    // Brackets count too: a message may consist of nesting only.
    remaining -= 2;
    if (Array.isArray(value)) return `[${pieces(value, write)}]`;
    if (!isJsonObject(value)) {
      remaining -= 6;
      return JSON.stringify(value) ?? 'null';
    }
    const entry = (key: string): string => {
      remaining -= key.length + 4;
      const isSecret = SECRET_KEY.test(key) && typeof value[key] === 'string';
      return `${JSON.stringify(key)}:${isSecret ? `"${REDACTED}"` : write(value[key])}`;
    };
    return `{${pieces(Object.keys(value), entry)}}`;
  };
  const pieces = <T>(values: readonly T[], one: (value: T) => string): string => {
    const written: string[] = [];
    for (const value of values) {
      if (remaining <= 0) return [...written, '…'].join(',');
      written.push(one(value));
    }
    return written.join(',');
  };
  return write(message);
}
