import type { JsonValue } from '@toolyard/protocol';
import type {
  ChatRequest,
  CreatedImages,
  Embeddings,
  EmbeddingsRequest,
  ImageRequest,
  ModelInfo,
  Speech,
  SpeechRequest,
  Transcription,
  TranscriptionRequest,
} from '../types.ts';
import type { StreamedAnswer } from './answer.ts';
import type { ErrorContext, ProviderError } from './provider-error.ts';
import type { WireName } from './names.ts';
import type { SettingName } from './settings.ts';

/** A request as it goes out. */
export type Outgoing = { path: string; body: string | FormData; headers?: Readonly<Record<string, string>> };

/** A chat request as it goes out, with an account of its settings. */
export type OutgoingChat = Outgoing & {
  body: string;
  /** What stands in it, each by the word a server would use to refuse it. */
  sent: readonly { name: SettingName; field: string }[];
  /** What somebody set and the wire or the model has not. */
  leftOut: readonly SettingName[];
};

/** Something a server refused and a request can do without; `notice` is for the person. */
export type CapabilityFallback = { without: string; notice?: { code: string; text: string } };

/** One request and what its answer, read as JSON, holds; null where it holds nothing of the kind. */
export type Exchange<Result> = Outgoing & { read: (answer: JsonValue) => Result | null };

/** The list of models: its page, and where the next one is. */
export type ModelPage = { models: ModelInfo[]; next?: string };

/** Where below an address the API lies. */
export type AddressRules = {
  /** The version in its paths, such as `v1`. */
  version: string;
  /** True where an address without a version is most likely meant to have it added. */
  versionFirst: boolean;
  /** Endpoints people paste together with the address, without the first slash. */
  endpoints: readonly string[];
  /** What a right address looks like. */
  example: string;
};

/** All that is particular to one wire. Plain functions over data; the runtime around it is the same for all. */
export type ApiDialect = {
  readonly wire: WireName;
  /** In messages: `No OpenAI chat API was found at …`. */
  readonly label: string;
  readonly addresses: AddressRules;
  headers(apiKey: string | undefined): Record<string, string>;
  /** `without`: the concessions made to this server for this model so far. */
  chat(request: ChatRequest, without: ReadonlySet<string>): OutgoingChat;
  answer(request: ChatRequest, errors: ErrorContext): StreamedAnswer;
  /** Reads an error in the wire's own form; null: it may have a common one. */
  readError?(value: JsonValue): ProviderError | null;
  /** What to leave away after a refusal that names no setting; null: nothing can be done. */
  concede?(error: ProviderError, request: ChatRequest, without: ReadonlySet<string>): CapabilityFallback | null;
  /** `page`: what the page before said of the next. */
  models(page: string | undefined): Exchange<ModelPage>;
  embeddings?(request: EmbeddingsRequest): Exchange<Embeddings>;
  createImage?(request: ImageRequest): Exchange<CreatedImages>;
  /** Answers with sound, or with JSON that holds it. */
  textToSpeech?(request: SpeechRequest): Outgoing & {
    mimeType: string;
    read?: (answer: JsonValue) => Speech | null;
  };
  transcribe?(request: TranscriptionRequest): Exchange<Transcription>;
};
