import type { JsonObject } from './json.ts';
import type { AssistantPart, TextPart, ToolResultPart, UserPart } from './parts.ts';
import type { ToolReference } from './tools.ts';
import type { Usage } from './usage.ts';

type MessageBase = {
  id: string;
  /** The message this one follows; null for the first. A conversation is a tree. */
  parentId: string | null;
  /** Milliseconds since 1970. */
  createdAt: number;
};

export type SystemMessage = MessageBase & {
  role: 'system';
  parts: TextPart[];
  /** Set on a summary: a model gets it in the place of the messages of its branch up to this one. */
  folds?: Fold;
};
/** The messages a summary stands for: those of its branch from the first on, up to `upTo`. */
export type Fold = {
  /** The id of the last message that is folded. */
  upTo: string;
  /** How many messages are folded, those of earlier summaries included. */
  messages: number;
  /** What was sent of them, and what stands for them, in tokens, by estimate. */
  tokensBefore: number;
  tokensAfter: number;
};

export type UserMessage = MessageBase & { role: 'user'; parts: UserPart[] };

export type AssistantMessage = MessageBase & {
  role: 'assistant';
  parts: AssistantPart[];
  runId: string;
  model: string;
  finishReason: MessageEnd;
  usage?: Usage;
  /** US dollars, at the price of then; absent where price or usage are unknown. */
  cost?: number;
};

/** One tool's answer to one call. */
export type ToolMessage = MessageBase & {
  role: 'tool';
  name: string;
  tool: ToolReference | null;
  /** What the call was made with, where a person had changed what the model asked for. */
  editedArguments?: JsonObject;
  parts: [ToolResultPart];
};

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Why a model stops. `error`: the stream ended badly, what came before it is kept. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'cancelled';

/**
 * How a message of an assistant came to its end, beside what a model says:
 * - `cancelled`: a person stopped it; what was said is kept
 * - `pending`: it is being written; the events of its run tell how far it is
 * - `abandoned`: the process died; the answer was begun anew beside it, and no model is shown this one
 */
export type MessageEnd = FinishReason | 'pending' | 'abandoned';

/** The text of a message, without reasoning, calls or media. */
export function textOf(message: Message): string {
  let text = '';
  for (const part of message.parts) if (part.type === 'text') text += part.text;
  return text;
}
