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
} from '@toolyard/protocol';

/** Whether tools may, must not or must be called; or which one must. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

/** What an answer must be: JSON of any kind, or JSON that fits a schema. */
export type ResponseFormat = { type: 'json' } | { type: 'json_schema'; name: string; schema: JsonObject };

/** One model request. Messages are Toolyard's own; each wire turns them into its provider's at the last moment. */
export type ChatRequest = {
  model: string;
  messages: readonly Message[];
  /** In a stable order, for prompt caches. */
  tools: readonly ToolDefinition[];
  /** `none`: tools stay defined, but must not be called. */
  toolChoice: ToolChoice;
  toolMode: ToolMode;
  parameters: ModelParameters;
  /** The last message is the beginning of the answer: the model goes on right behind it. See {@link ModelRuntime}. */
  continues?: true;
  /** Absent: text. */
  responseFormat?: ResponseFormat;
};

/**
 * What a model sends back, in the order it came. After `finish` or `error` nothing follows; a stream always ends with
 * one of the two, unless its signal was aborted: then it throws an AbortError.
 */
export type StreamPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /**
   * Opaque, to be kept in its place among the parts and sent back there. It closes the reasoning right before it; where
   * there is none, it stands for itself and belongs to the part that follows.
   */
  | { type: 'reasoning_signature'; signature: string }
  /** A call begins. `index` is its place among the calls of this answer and joins the parts of one call. */
  | { type: 'tool_call_start'; index: number; id?: string; name: string }
  | { type: 'tool_call_delta'; index: number; argumentsText: string }
  /** A call is whole. `arguments` is null where `argumentsText` is not a JSON object. */
  | { type: 'tool_call'; index: number; id?: string; name: string; arguments: JsonObject | null; argumentsText: string }
  | { type: 'malformed_tool_call'; raw: string; reason: string }
  | { type: 'image'; mimeType: string; source: MediaSource }
  | { type: 'citation'; url: string; title?: string; text?: string }
  /** `cost` in US dollars, where whoever answers knows the price. */
  | { type: 'usage'; usage: Usage; cost?: number }
  /** Milliseconds from the request to the first word, and to the last; right before `finish`. */
  | { type: 'timing'; firstMs: number; totalMs: number }
  /** Something the person should know, such as a setting the provider refused. */
  | { type: 'notice'; code: string; text: string }
  | { type: 'finish'; reason: FinishReason }
  | { type: 'error'; error: ErrorInfo };

/** `inputs`: what it reads, where its server says so; text is always among them. */
export type ModelInfo = { id: string; ownedBy?: string; contextWindow?: number; inputs?: ModelInput[] };

export type CallOptions = { signal?: AbortSignal };

export type EmbeddingsRequest = { model: string; input: readonly string[]; dimensions?: number };
/** One vector for each text, in the same order. */
export type Embeddings = { vectors: number[][]; usage?: Usage };

export type ImageRequest = {
  model: string;
  prompt: string;
  /** Pictures to work from. */
  images?: readonly ImagePart[];
  /** Such as `1024x1024`. */
  size?: string;
  count?: number;
};
export type CreatedImages = { images: ImagePart[]; usage?: Usage };

export type SpeechFormat = 'mp3' | 'wav' | 'opus' | 'aac' | 'flac' | 'pcm';
export type SpeechRequest = {
  model: string;
  text: string;
  voice?: string;
  format?: SpeechFormat;
  speed?: number;
  instructions?: string;
};
export type Speech = { mimeType: string; data: Uint8Array };

export type TranscriptionRequest = {
  model: string;
  audio: { mimeType: string; data: Uint8Array };
  /** Two letters, such as `de`. */
  language?: string;
  prompt?: string;
};
export type Transcription = { text: string; usage?: Usage };

export type ObjectRequest = Pick<ChatRequest, 'model' | 'messages'> & {
  /** What the object is, in one word: `invoice`. */
  name: string;
  description?: string;
  schema: JsonObject;
  parameters?: ModelParameters;
};
/** `by` says how it was got: asked for natively, as the arguments of a call, or read out of a text. */
export type GeneratedObject = { object: JsonValue; by: 'native' | 'tool' | 'text'; usage?: Usage };

/**
 * A place where models are served. What it cannot do at all is absent; what it cannot do for one model is refused with
 * a ToolyardError.
 */
export interface ModelRuntime {
  /** Names the provider in messages: `demo`, `http://127.0.0.1:8080`. */
  readonly provider: string;
  /** True where a model can go on with an answer that was begun: {@link ChatRequest.continues}. */
  readonly canContinue?: boolean;
  /**
   * Streams one answer. Each item is the batch of parts that one network read brought, never empty: batches keep the
   * cost of a token at a fraction of a microtask.
   *
   * What the upstream does wrong comes as an `error` part. Throws only AbortError.
   */
  chat(request: ChatRequest, options?: CallOptions): AsyncIterable<readonly StreamPart[]>;
  /** The models on offer. Throws ToolyardError, as all that follow do. */
  models(options?: CallOptions): Promise<ModelInfo[]>;
  embeddings?(request: EmbeddingsRequest, options?: CallOptions): Promise<Embeddings>;
  createImage?(request: ImageRequest, options?: CallOptions): Promise<CreatedImages>;
  textToSpeech?(request: SpeechRequest, options?: CallOptions): Promise<Speech>;
  transcribe?(request: TranscriptionRequest, options?: CallOptions): Promise<Transcription>;
  generateObject?(request: ObjectRequest, options?: CallOptions): Promise<GeneratedObject>;
}
