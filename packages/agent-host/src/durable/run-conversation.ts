import type {
  AgentReference,
  ConversationPort,
  ErrorInfo,
  Message,
  SystemMessage,
  UserMessage,
} from '@toolyard/protocol';
import type { RunWriter } from './run-writer.ts';

export type RunConversationOptions = {
  conversationId: string;
  runId: string;
  instructions: string;
  leafId: string;
  shownId: string;
  writer: RunWriter;
};

/**
 * The branch of a run: the stored messages and those that the run adds.
 *
 * @example
 * const of = { conversationId, runId, instructions: '', leafId, shownId: leafId, writer };
 * const conversation = new RunConversation(of, branch);
 * console.log(conversation.userMessage?.id);
 */
export class RunConversation implements ConversationPort {
  readonly id: string;
  readonly #writer: RunWriter;
  readonly #messages: Message[];
  #leafId: string;
  #shownId: string;

  /** `stored` is the branch up to `leafId`, in a form that models can read. */
  constructor(options: RunConversationOptions, stored: readonly Message[]) {
    const branch = stored.filter(isComplete);
    this.id = options.conversationId;
    this.#writer = options.writer;
    this.#leafId = options.leafId;
    this.#shownId = options.shownId;
    this.#messages = options.instructions === '' ? [...branch] : [systemMessage(options), ...branch];
  }

  messages(): readonly Message[] {
    return this.#messages;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#writer.message(message, { from: this.#shownId, to: message.id });
    this.#leafId = message.id;
    this.#shownId = message.id;
  }

  /** Adds a user's steering message: in the stored form, and in the form that models can read. */
  addSteering(stored: UserMessage, readable: Message): void {
    this.#messages.push(readable);
    this.#writer.message(stored, { from: this.#shownId, to: stored.id });
    this.#leafId = stored.id;
    this.#shownId = stored.id;
  }

  /** Shows `message`, which models do not receive, instead of the message shown now. */
  show(message: Message): void {
    this.#writer.message(message, { from: this.#shownId, to: message.id });
    this.#shownId = message.id;
  }

  get leafId(): string {
    return this.#leafId;
  }

  get shownId(): string {
    return this.#shownId;
  }

  /** True until the first answer is begun. */
  get hasPlaceholder(): boolean {
    return this.#shownId !== this.#leafId;
  }

  /** The latest user message. */
  get userMessage(): UserMessage | undefined {
    return this.#messages.findLast((message) => message.role === 'user');
  }
}

/** The message that replaces a placeholder if there was no answer. */
export function emptyAnswer(of: {
  id: string;
  parentId: string;
  runId: string;
  model: string;
  agent?: AgentReference;
  createdAt: number;
  error?: ErrorInfo;
}): Extract<Message, { role: 'assistant' }> {
  const { error, ...rest } = of;
  return {
    ...rest,
    role: 'assistant',
    parts: error ? [{ type: 'error', error }] : [],
    finishReason: error ? 'error' : 'cancelled',
  };
}

/**
 * True for a complete message, and for one that a user cut off: models receive these.
 *
 * @example
 * const readable = branch.filter(isComplete);
 */
export function isComplete(message: Message): boolean {
  return message.role !== 'assistant' || (message.finishReason !== 'pending' && message.finishReason !== 'abandoned');
}

function systemMessage({ runId, instructions }: RunConversationOptions): SystemMessage {
  return {
    id: `${runId}.instructions`,
    parentId: null,
    createdAt: 0,
    role: 'system',
    parts: [{ type: 'text', text: instructions }],
  };
}
