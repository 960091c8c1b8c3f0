import type { ResolvedSettings, SettingValues } from './settings.ts';
import { defaultSettings } from './settings.ts';
import type { Price } from './usage.ts';

/** Parameters of a model request. An API format omits those that its provider rejects, and reports them. */
export type ModelParameters = SettingValues<'parameters'>;

/** Level of reasoning. */
export type ReasoningEffort = NonNullable<ModelParameters['reasoningEffort']>;

/** Limits of a run; all are enforced. */
export type RunLimits = ResolvedSettings<'limits'> & {
  /** Price of the model's tokens, if known. */
  price?: Price;
};

export type OnMaxTurns = RunLimits['onMaxTurns'];

export const DEFAULT_LIMITS: RunLimits = defaultSettings('limits');

/** What a model can read. */
export type ModelInput = 'text' | 'image' | 'audio' | 'video';

/** How the owner would like a question answered. */
export type ConversationExample = { question: string; answer: string };

export type ToolMode = ResolvedSettings<''>['toolMode'];

export type InterventionMode = ResolvedSettings<''>['intervention'];

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
