import type { Clock, Fetch, JsonValue, WireName } from '@toolyard/protocol';
import type {
  ChatRequest,
  CreatedImages,
  Embeddings,
  EmbeddingsRequest,
  ImageRequest,
  ModelInfo,
  Speech,
  SpeechRequest,
  StreamPart,
  Transcription,
  TranscriptionRequest,
} from '../types.ts';
import type { StreamedAnswer } from './answer.ts';
import type { ErrorContext, ProviderFault } from './provider-error.ts';
import type { ToolRules } from '../tool-schema/rules.ts';
import type { SentSetting, SettingName } from './settings.ts';

/** A request to be sent. */
export type Outgoing = { path: string; body: string | FormData; headers?: Readonly<Record<string, string>> };

/** A chat request to be sent, with a record of its settings. */
export type OutgoingChat = Outgoing & {
  body: string;
  /** The settings it contains, each with the field name a server would use in a rejection. */
  sent: readonly SentSetting[];
  /** Settings of the user that the wire or the model does not support. */
  omittedSettings: readonly SettingName[];
};

/** A rejected feature that a request can omit; `notice` is shown to the user. */
export type CapabilityFallback = { without: string; notice?: StreamPart };

/** A request and the parser of its JSON response; null if the expected content is missing. */
export type Exchange<Result> = Outgoing & { read: (answer: JsonValue) => Result | null };

/** A page of the model list, and the token of the next page. */
export type ModelPage = { models: ModelInfo[]; next?: string };

/** Where the API is, relative to a base URL. */
export type AddressRules = {
  /** The version in its paths, such as `v1`; null: its paths have none. */
  version: string | null;
  /** True if a base URL without a version most likely lacks it. */
  versionFirst: boolean;
  /** Endpoint paths users often include in the base URL, without the leading slash. */
  endpoints: readonly string[];
  /** An example of a base URL. */
  example: string;
};

/** Reads the body of an answer. Both methods add parts to `out`. */
export type AnswerReader = {
  /** Processes the bytes of one network read. */
  push(bytes: Uint8Array, out: StreamPart[]): void;
  /** Ends the body, or stops reading it. */
  end(out: StreamPart[]): void;
};

/** What a dialect needs to sign its requests. */
export type SigningContext = {
  apiKey: string | undefined;
  fetch: Fetch;
  clock: Clock;
  /** Adds a secret that was obtained later, such as an access token, to those removed from messages. */
  addSecret: (secret: string) => void;
};

/** Everything specific to one wire: pure functions over data. The runtime is the same for all wires. */
export type ApiDialect = {
  readonly wire: WireName;
  /** In messages: `No OpenAI chat API was found at …`. */
  readonly label: string;
  readonly addresses: AddressRules;
  headers(apiKey: string | undefined): Record<string, string>;
  /**
   * For servers whose requests are signed: a fetch that adds the signature or a token to each request. What it throws
   * fails the request.
   */
  signed?(context: SigningContext): Fetch;
  /** What the API format accepts in tools. */
  readonly tools: ToolRules;
  /** Further statuses with which the server rejects native tools. */
  readonly toolRefusals?: readonly number[] | undefined;
  /** `without`: the features this server has rejected for this model so far. */
  chat(request: ChatRequest, without: ReadonlySet<string>): OutgoingChat;
  answer(request: ChatRequest, errors: ErrorContext): StreamedAnswer;
  /** Reads a streamed answer that is not server-sent events. */
  body?(answer: StreamedAnswer, errors: ErrorContext): AnswerReader;
  /** Parses an error in the wire's own format; null: try the common formats. */
  readError?(value: JsonValue, headers: Headers): ProviderFault | null;
  /** The feature to omit after a rejection that names no setting; null: none. */
  fallbackFor?(error: ProviderFault, request: ChatRequest, without: ReadonlySet<string>): CapabilityFallback | null;
  /** `page`: the token from the previous page. */
  models(page: string | undefined): Exchange<ModelPage>;
  embeddings?(request: EmbeddingsRequest): Exchange<Embeddings>;
  createImage?(request: ImageRequest): Exchange<CreatedImages>;
  /** The response is audio, or JSON that contains it. */
  textToSpeech?(request: SpeechRequest): Outgoing & {
    mimeType: string;
    read?: (answer: JsonValue) => Speech | null;
  };
  transcribe?(request: TranscriptionRequest): Exchange<Transcription>;
};

/** The operations of an API besides chat. */
export type Abilities = Required<Pick<ApiDialect, 'embeddings' | 'createImage' | 'textToSpeech' | 'transcribe'>>;
