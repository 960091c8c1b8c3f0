import type { ConversationPort, Message, UserMessage } from '@toolyard/protocol';

/** One branch of messages, kept in memory. */
export class MemoryConversation implements ConversationPort {
  readonly id: string;
  readonly #messages: Message[] = [];

  constructor(id: string) {
    this.id = id;
  }

  messages(): readonly Message[] {
    return this.#messages;
  }

  add(message: Message): void {
    this.#messages.push(message);
  }

  /** Adds a steering message, which is not stored elsewhere. */
  addSteering(_stored: UserMessage, readable: UserMessage): void {
    this.add(readable);
  }

  /** Removes the last message, if it is this one. */
  remove(id: string): void {
    if (this.#messages.at(-1)?.id === id) this.#messages.pop();
  }

  /** Removes everything but the system message. */
  clear(): void {
    const [first] = this.#messages;
    this.#messages.length = 0;
    if (first?.role === 'system') this.#messages.push(first);
  }

  /** The message that a new one follows. */
  get leafId(): string | null {
    return this.#messages.at(-1)?.id ?? null;
  }
}
