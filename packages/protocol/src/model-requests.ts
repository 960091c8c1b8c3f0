import type { ModelParameters, ToolMode } from './agents.ts';

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
  /**
   * The sha256 of what went along besides the messages (instructions, notes of servers, tools), where somebody keeps it.
   */
  prelude?: string;
  fill: ContextFill;
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
