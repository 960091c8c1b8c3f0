import type { ConversationExample, ModelInput, ModelParameters, ToolMode } from './agents.ts';
import type { AssistantPart } from './parts.ts';
import type { Message } from './messages.ts';
import type { ToolDefinition } from './tools.ts';

/**
 * What one request to a model was made of. The messages themselves stand in the conversation: what was sent is made of
 * them again, in the same way.
 */
export type ModelRequestRecord = {
  model: string;
  /** The last message of the conversation that went along; null where there was none. */
  leafId: string | null;
  toolChoice: 'auto' | 'none';
  toolMode: ToolMode;
  parameters: ModelParameters;
  /** When the request was put together, in milliseconds since 1970: what stands for the date is of then. */
  at: number;
  timeZone: string;
  /** What the model reads, where that is known. */
  inputs?: ModelInput[];
  /** Under what id the {@link RequestPrelude} is kept, where somebody keeps it. */
  prelude?: string;
  /** The beginning of the answer, where the model was to go on with it. */
  continues?: AssistantPart[];
  fill: ContextFill;
};

/** What goes along with many requests and changes seldom. */
export type RequestPrelude = {
  /** The owner's own, with their placeholders. */
  instructions: string;
  /** What servers say about their tools. */
  serverInstructions: { serverId: string; text: string }[];
  tools: ToolDefinition[];
  historyMessages?: number;
  inputTemplate?: string;
  examples?: ConversationExample[];
};

/** What a model was sent, as its wire was given it; the last message is the beginning of the answer if `continues`. */
export type SentRequest = Pick<
  ModelRequestRecord,
  'model' | 'toolChoice' | 'toolMode' | 'parameters' | 'at' | 'fill'
> & {
  messages: Message[];
  /** Null where they were not kept. */
  tools: ToolDefinition[] | null;
  continues: boolean;
};

/** How full the model's window is, in tokens: an estimate, corrected by what the model told of earlier requests. */
export type ContextFill = {
  /** All of the request. */
  tokens: number;
  /** What the model can take; `assumed` where it does not say. */
  window: number;
  assumed?: true;
  /** Of `tokens`: instructions and the notes of servers, definitions of tools, results of tools, and the rest. */
  parts: { instructions: number; tools: number; results: number; messages: number };
};
