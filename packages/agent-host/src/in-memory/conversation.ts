import type { ConversationPort, Message, SystemMessage, UserMessage } from '@toolyard/protocol';

/** One branch of messages, kept in memory. */
export class MemoryConversation implements ConversationPort {
  readonly id: string;
  readonly #messages: Message[];

  constructor(id: string, messages: readonly Message[] = []) {
    this.id = id;
    this.#messages = [...messages];
  }

  messages(): readonly Message[] {
    return this.#messages;
  }

  add(message: Message): void {
    this.#messages.push(message);
  }

  /** Sets the instructions, which are the first message. */
  instruct(message: SystemMessage): void {
    const [first] = this.#messages;
    this.#messages.splice(0, isInstructions(first) ? 1 : 0, message);
  }

  /** Adds a steering message, which is not stored elsewhere. */
  addSteering(_stored: UserMessage, readable: UserMessage): void {
    this.add(readable);
  }

  /** Removes the last message, if it is this one. */
  remove(id: string): void {
    if (this.#messages.at(-1)?.id === id) this.#messages.pop();
  }

  /** Removes everything but the instructions. */
  clear(): void {
    const [first] = this.#messages;
    this.#messages.length = 0;
    if (first && isInstructions(first)) this.#messages.push(first);
  }

  /** The message that a new one follows. */
  get leafId(): string | null {
    return this.#messages.at(-1)?.id ?? null;
  }
}

/** A summary is a system message too. */
function isInstructions(message: Message | undefined): boolean {
  return message?.role === 'system' && message.compaction === undefined;
}
