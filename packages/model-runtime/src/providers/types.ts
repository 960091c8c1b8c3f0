import type { AnthropicQuirks } from '../anthropic-messages/quirks.ts';
import type { GeminiQuirks } from '../google-gemini/quirks.ts';
import type { OpenAiChatQuirks } from '../openai-chat/quirks.ts';
import type { ModelListing } from '../wire/model-listing.ts';

/** The API format of a provider and its deviations. */
export type WireFacts =
  | { wire: 'openai-chat'; quirks?: OpenAiChatQuirks }
  | { wire: 'openai-responses' | 'bedrock-converse' }
  | { wire: 'google-gemini'; quirks?: GeminiQuirks }
  | { wire: 'anthropic-messages'; quirks?: AnthropicQuirks };

type ProviderFacts = {
  id: string;
  label: string;
  /** `hosted`: a service on the internet; `own`: a server the user runs. */
  place: 'hosted' | 'own';
  /**
   * May contain `{NAME}`: a value of the user, such as an account id, with the environment variable NAME as default.
   */
  baseUrl: string;
  /** Environment variable that overrides the base URL. */
  baseUrlVariable?: string;
  /**
   * Usual environment variables of the key, most common first. Variables that also serve other purposes, such as
   * GITHUB_TOKEN, are left out, so that no key is sent to a service its owner did not intend.
   */
  keyVariables: readonly string[];
  /**
   * The key is credentials of a cloud account. If none is entered, those of the environment are used: the variables of
   * the AWS CLI, or Google's application default credentials.
   */
  cloud?: 'aws' | 'google';
  /** Where to get a key; null if none is needed. */
  keyPage: string | null;
  /** Absent: the default model list of its wire. */
  models?: ModelListing;
  /** True for a flat-rate subscription, whose tokens have no price. */
  plan?: true;
  /** One sentence of advice for the user. */
  note?: string;
  /** Where these facts are documented. */
  source: string;
  /** `tried`: verified against the service; `documented`: only read in its documentation. */
  proof: 'tried' | 'documented';
};

/** Facts about a model provider. */
export type ProviderRecord = WireFacts & ProviderFacts;

/**
 * What a record need not say: `hosted`, no page of keys, `documented`, and a variable of the key that is named after the id,
 * such as GROQ_API_KEY.
 */
export type CommonFacts = Pick<ProviderFacts, 'place' | 'keyVariables' | 'keyPage' | 'proof'>;

/** A provider as it is written in `data`; the default API format is `openai-chat`. */
export type ProviderData = (WireFacts | { wire?: never; quirks?: OpenAiChatQuirks }) &
  Omit<ProviderFacts, keyof CommonFacts> &
  Partial<CommonFacts>;

/** A provider that other products support and no wire reaches. */
export type UnsupportedProvider = { id: string; why: string };
