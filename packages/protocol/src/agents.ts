import type { JsonObject } from './json.ts';
import type { Price } from './usage.ts';

/** How hard a model thinks, from not at all upward; each wire takes the nearest its model knows. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What every model takes; a wire leaves out what its provider refuses, and says so. */
export type ModelParameters = {
  temperature?: number;
  topP?: number;
  topK?: number;
  maxOutputTokens?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stop?: string[];
  seed?: number;
  reasoningEffort?: ReasoningEffort;
  /** Fields put into the request as they are, for what only one provider has. */
  extra?: JsonObject;
};

/** What happens when the permitted turns are used up. `answer`: the last one must answer without tools. */
export type OnMaxTurns = 'answer' | 'error';

/** Bounds of a run; all are enforced. */
export type RunLimits = {
  /** Model requests, default 20. */
  maxTurns: number;
  onMaxTurns: OnMaxTurns;
  /** Milliseconds from start to end; absent: no bound. */
  maxWallTimeMs?: number;
  /** What the model costs, where it is known. */
  price?: Price;
  /** Tools running at once, default 8. */
  toolConcurrency: number;
  /** How often the same tool may be called with the same arguments in one run, default 10. */
  maxSameCall: number;
};

export const DEFAULT_LIMITS: RunLimits = { maxTurns: 20, onMaxTurns: 'answer', toolConcurrency: 8, maxSameCall: 10 };

/** What a model can read. */
export type ModelInput = 'text' | 'image' | 'audio' | 'video';

/** How the owner would like a question answered. */
export type ConversationExample = { question: string; answer: string };

/** `native`: tools go in the request. `text`: they are described in the prompt and calls come back as text. */
export type ToolMode = 'native' | 'text';

/**
 * What is done about a call nothing has been decided on.
 * - `auto`: it is made
 * - `allow-list`: it is asked about, unless a rule allows it
 * - `manual`: it is asked about, whatever the rules allow
 * - `headless`: as `allow-list`, but nobody can be asked: it is refused
 *
 * What the owner forbids is refused in all of them, and what is feared needs a person's yes to that very call.
 */
export type InterventionMode = 'auto' | 'allow-list' | 'manual' | 'headless';

/**
 * What is to be done about calls of which all that it says is true. Of several that fit the strictest counts. `*`
 * stands for any characters, `?` for one. What allows has to be true of the whole call: of every text, every command,
 * every path in it; else it is enough if it is true of a part.
 */
export type InterventionRule = {
  decision: 'allow' | 'ask' | 'never';
  /** `server/tool` */
  tool?: string;
  /** Any value among the arguments, at any depth and under any name. */
  argument?: string;
  /** A command of a shell, its words with one space between them: `git status*`. */
  command?: string;
  /** A path lies outside of this folder. Not for what allows. */
  outside?: string;
  /** All paths lie in this folder, and at least one is a whole path. Only for what allows. */
  inside?: string;
  /** What the tool's server says of it. Of servers that are not trusted: that it changes and destroys. */
  readOnly?: boolean;
  destructive?: boolean;
};
