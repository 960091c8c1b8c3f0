import type { ConversationPort, ErrorInfo, Message, SystemMessage, UserMessage } from '@toolyard/protocol';
import type { RunWriter } from './run-writer.ts';

export type RunConversationOptions = {
  conversationId: string;
  runId: string;
  instructions: string;
  leafId: string;
  shownId: string;
  writer: RunWriter;
};

/** The branch a run works on: as it is stored, and what the run adds to it. */
export class RunConversation implements ConversationPort {
  readonly id: string;
  readonly #writer: RunWriter;
  readonly #messages: Message[];
  #leafId: string;
  #shownId: string;

  /** `stored` is the branch up to `leafId`, in a form a model can read. */
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

  /** What the person has said to the run: stored as it is, and in the form a model can read. */
  hear(stored: UserMessage, readable: Message): void {
    this.#messages.push(readable);
    this.#writer.message(stored, { from: this.#shownId, to: stored.id });
    this.#leafId = stored.id;
    this.#shownId = stored.id;
  }

  /** Shows `message`, which is no part of what the model is told, in the place of what is shown now. */
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

  /** True while the first answer is yet to be written. */
  get hasPlaceholder(): boolean {
    return this.#shownId !== this.#leafId;
  }

  /** What the person asked last. */
  get question(): UserMessage | undefined {
    return this.#messages.findLast((message) => message.role === 'user');
  }
}

/** What is written where no answer came in the place kept for one. */
export function emptyAnswer(of: {
  id: string;
  parentId: string;
  runId: string;
  model: string;
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

/** True for what was said to the end, or cut off by a person: what a model is shown. */
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
