import type {
  ErrorInfo,
  FinishReason,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaSource,
  Message,
  ModelInput,
  ModelParameters,
  ToolDefinition,
  ToolMode,
  Usage,
  TextTemplates,
} from '@toolyard/protocol';
import type { TextPosition } from './text-position.ts';

/** Whether the model may, must not or must call tools; or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

/** Required format of the answer: any JSON, or JSON that matches a schema. */
export type ResponseFormat = { type: 'json' } | { type: 'json_schema'; name: string; schema: JsonObject };

/** One model request. Messages are in Toolyard's format; each wire converts them last. */
export type ChatRequest = {
  model: string;
  messages: readonly Message[];
  /** In a stable order, so that prompt caches match. */
  tools: readonly ToolDefinition[];
  /** `none`: tools stay defined, but must not be called. */
  toolChoice: ToolChoice;
  toolMode: ToolMode;
  parameters: ModelParameters;
  /** The last message is a partial answer, which the model continues. See {@link ModelRuntime}. */
  continues?: true;
  /** Default: text. */
  responseFormat?: ResponseFormat;
  /** Opaque id of the end user, for APIs with a field for it. */
  user?: string;
};

/** How a call was written in the text of an answer. The executor of calls decides what it is worth. */
export type WrittenAsText = {
  /** The model's text, with the white space before it; several calls may share it. */
  raw: string;
  /** Number of characters of the answer's text before it. */
  at: number;
  /** How the tools were offered. */
  toolMode: ToolMode;
  /** Set if it is in a quote or in code. */
  position?: TextPosition;
  /** Set if the model is known to call tools natively. */
  isNative?: true;
};

/**
 * The parts of an answer, in order. A stream ends with exactly one `finish` or `error`, unless its signal was aborted:
 * then it throws an AbortError.
 */
export type StreamPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /**
   * Opaque; keep it in its position among the parts and send it back there. It closes the reasoning directly before it;
   * without such reasoning it belongs to the part that follows.
   */
  | { type: 'reasoning_signature'; signature: string }
  /**
   * Starts a call. `index` is its position among the calls of this answer and identifies its parts. `isText`: written as
   * text, and complete.
   */
  | { type: 'tool_call_start'; index: number; id?: string; name: string; isText?: true }
  | { type: 'tool_call_delta'; index: number; argumentsText: string }
  /** Completes a call. `arguments` is null if `argumentsText` is not a JSON object. `text`: it was written as text. */
  | {
      type: 'tool_call';
      index: number;
      id?: string;
      name: string;
      arguments: JsonObject | null;
      argumentsText: string;
      text?: WrittenAsText;
    }
  | { type: 'malformed_tool_call'; raw: string; reason: string; text?: WrittenAsText }
  | { type: 'image'; mimeType: string; source: MediaSource }
  | { type: 'citation'; url: string; title?: string; text?: string }
  /** `cost` in US dollars, if the price is known. */
  | { type: 'usage'; usage: Usage; cost?: number }
  /** Milliseconds from the request to the first and the last token; right before `finish`. */
  | { type: 'timing'; firstMs: number; totalMs: number }
  /** A message for the user, such as a setting the provider rejected. */
  | { type: 'notice'; code: string; text: string; templates?: TextTemplates }
  | { type: 'finish'; reason: FinishReason }
  | { type: 'error'; error: ErrorInfo };

/**
 * `inputs`: the accepted input types, if the server reports them; always includes text. `nativeTools`: whether the
 * server passes tool definitions to the model, if it reports that.
 */
export type ModelInfo = {
  id: string;
  ownedBy?: string;
  contextWindow?: number;
  inputs?: ModelInput[];
  nativeTools?: boolean;
};

/** Options of one request to a model server. */
export type CallOptions = {
  signal?: AbortSignal;
  /** Additional headers of this request, which override those of the provider. Their values are redacted as secrets. */
  headers?: Readonly<Record<string, string>>;
  /** 32 hexadecimal digits; sent as `traceparent`, so that spans of the model server join the trace. */
  traceId?: string;
};

/** A finished answer, as {@link ChatCallbacks.onFinal} receives it. */
export type ChatSummary = {
  text: string;
  reasoning: string;
  /** Calls with valid arguments, in order. */
  toolCalls: readonly { id?: string; name: string; arguments: JsonObject }[];
  usage?: Usage;
  /** In US dollars, if the price is known. */
  cost?: number;
} & (
  | { outcome: 'done'; finishReason: FinishReason }
  | { outcome: 'failed'; error: ErrorInfo }
  /** The signal was aborted, or the caller stopped reading. */
  | { outcome: 'stopped' }
);

/**
 * Called while an answer is streamed, in the order of the fields. The stream itself is unchanged. What a callback throws
 * ends the stream and is thrown to its reader.
 */
export type ChatCallbacks = {
  /** Before the request is sent. */
  onStart?(): void;
  /** The first text, reasoning, call or image has arrived. */
  onFirstToken?(): void;
  /** Each complete call with valid arguments. */
  onToolCall?(call: { id?: string; name: string; arguments: JsonObject }): void;
  onUsage?(usage: Usage, cost: number | undefined): void;
  /** Once, however the answer ends. */
  onFinal?(summary: ChatSummary): void;
};

/** Options of one chat request. */
export type ChatOptions = CallOptions & { callback?: ChatCallbacks };

/** Texts to embed. */
export type EmbeddingsRequest = { model: string; input: readonly string[]; dimensions?: number };
/** One vector per text, in the same order. */
export type Embeddings = { vectors: number[][]; usage?: Usage };

/** What to create or edit images from. */
export type ImageRequest = {
  model: string;
  prompt: string;
  /** Images to edit. */
  images?: readonly ImagePart[];
  /** For example `1024x1024`. */
  size?: string;
  count?: number;
};
/** Images that a model has created. */
export type CreatedImages = { images: ImagePart[]; usage?: Usage };

/** The file formats of speech. */
export type SpeechFormat = 'mp3' | 'wav' | 'opus' | 'aac' | 'flac' | 'pcm';
/** Text to speak. */
export type SpeechRequest = {
  model: string;
  text: string;
  voice?: string;
  format?: SpeechFormat;
  speed?: number;
  instructions?: string;
};
/** Spoken text, as a file. */
export type Speech = { mimeType: string; data: Uint8Array };

/** An audio file to write down. */
export type TranscriptionRequest = {
  model: string;
  audio: { mimeType: string; data: Uint8Array };
  /** ISO 639-1 code, for example `de`. */
  language?: string;
  prompt?: string;
};
/** The text of an audio file. */
export type Transcription = { text: string; usage?: Usage };

/** What {@link ModelRuntime.generateObject} generates an object from. */
export type ObjectRequest = Pick<ChatRequest, 'model' | 'messages'> & {
  /** What the object is, in one word: `invoice`. */
  name: string;
  description?: string;
  schema: JsonObject;
  parameters?: ModelParameters;
  /** The object in an answer that is no matching JSON, such as a bare value; undefined if it contains none. */
  fromText?: (text: string) => JsonValue | undefined;
  /** Output limit of the attempts after one that reached that of `parameters` without text, as by reasoning. */
  maxReasoningTokens?: number;
};
/** `by` is the method that succeeded: the native format, the arguments of a call, or a text answer. */
export type GeneratedObject = { object: JsonValue; by: 'native' | 'tool' | 'text'; usage?: Usage };

/**
 * A client for the models of one provider. Operations the API lacks are absent; operations a model lacks fail with a
 * ToolyardError.
 */
export interface ModelRuntime {
  /** Identifies the provider: `demo`, `http://127.0.0.1:8080`. */
  readonly provider: string;
  /** The user's name of the provider, for messages; absent: {@link ModelRuntime.provider}. */
  readonly label?: string;
  /** True if the models can continue a partial answer: {@link ChatRequest.continues}. */
  readonly canContinue?: boolean;
  /**
   * Streams one answer. Each item is the batch of parts of one network read, never empty: batching keeps the cost per
   * token below one microtask.
   *  Upstream failures are `error` parts. Throws only AbortError.
   */
  chat(request: ChatRequest, options?: ChatOptions): AsyncIterable<readonly StreamPart[]>;
  /** The available models. Throws ToolyardError, like all methods below. */
  models(options?: CallOptions): Promise<ModelInfo[]>;
  embeddings?(request: EmbeddingsRequest, options?: CallOptions): Promise<Embeddings>;
  createImage?(request: ImageRequest, options?: CallOptions): Promise<CreatedImages>;
  textToSpeech?(request: SpeechRequest, options?: CallOptions): Promise<Speech>;
  transcribe?(request: TranscriptionRequest, options?: CallOptions): Promise<Transcription>;
  generateObject?(request: ObjectRequest, options?: CallOptions): Promise<GeneratedObject>;
}
