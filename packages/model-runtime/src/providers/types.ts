import type { AnthropicQuirks } from '../anthropic-messages/quirks.ts';
import type { OpenAiChatQuirks } from '../openai-chat/quirks.ts';
import type { ModelListing } from '../wire/model-listing.ts';

/** Which API a provider speaks, and where it differs from what most understand. */
export type WireFacts =
  | { wire: 'openai-chat'; quirks?: OpenAiChatQuirks }
  | { wire: 'openai-responses' | 'google-gemini' }
  | { wire: 'anthropic-messages'; quirks?: AnthropicQuirks };

/** What is known of a provider of models. */
export type ProviderRecord = WireFacts & {
  id: string;
  label: string;
  /** Served by somebody, or by a program of one's own. */
  place: 'hosted' | 'own';
  /** May hold `{NAME}`: something of one's own, such as an account, also looked for in the variable NAME. */
  baseUrl: string;
  /** Its address, where another one is meant. */
  baseUrlVariable?: string;
  /**
   * The usual variables of its key, the likeliest first. Left out are those that are set for other purposes, too, such
   * as GITHUB_TOKEN: a key goes nowhere its owner did not mean.
   */
  keyVariables: readonly string[];
  /** Where its keys are made; null where it wants none. */
  keyPage: string | null;
  /** Absent: it tells its models in the way of its wire. */
  models?: ModelListing;
  /** True where a subscription pays, not each token. */
  plan?: true;
  /** What a person should know, in a sentence. */
  note?: string;
  /** Where these facts stand. */
  source: string;
  /** Whether somebody has talked with it, or only read about it. */
  proof: 'tried' | 'documented';
};

/** A provider others know and no wire reaches. */
export type UnsupportedProvider = { id: string; why: string };
