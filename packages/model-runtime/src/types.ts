import type {
  ErrorInfo,
  FinishReason,
  JsonObject,
  Message,
  ModelParameters,
  ToolDefinition,
  ToolMode,
  Usage,
} from '@toolyard/protocol';

/** One model request. Messages are Toolyard's own; each wire turns them into its provider's at the last moment. */
export type ChatRequest = {
  model: string;
  messages: readonly Message[];
  /** In a stable order, for prompt caches. */
  tools: readonly ToolDefinition[];
  /** `none`: tools stay defined, but must not be called. */
  toolChoice: 'auto' | 'none';
  toolMode: ToolMode;
  parameters: ModelParameters;
};

/**
 * What a model sends back, in the order it came. After `finish` or `error` nothing follows; a stream always ends with
 * one of the two, unless its signal was aborted: then it throws an AbortError.
 */
export type StreamPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'reasoning_signature'; signature: string }
  /** A call begins. `index` is its place among the calls of this answer and joins the parts of one call. */
  | { type: 'tool_call_start'; index: number; id?: string; name: string }
  | { type: 'tool_call_delta'; index: number; argumentsText: string }
  /** A call is whole. `arguments` is null where `argumentsText` is not a JSON object. */
  | { type: 'tool_call'; index: number; id?: string; name: string; arguments: JsonObject | null; argumentsText: string }
  | { type: 'malformed_tool_call'; raw: string; reason: string }
  | { type: 'usage'; usage: Usage }
  /** Something the person should know, such as a setting the provider refused. */
  | { type: 'notice'; code: string; text: string }
  | { type: 'finish'; reason: FinishReason }
  | { type: 'error'; error: ErrorInfo };

export type ModelInfo = { id: string; ownedBy?: string; contextWindow?: number };

export type CallOptions = { signal?: AbortSignal };

/** A place where models are served. */
export interface ModelRuntime {
  /** Names the provider in messages: `demo`, `http://127.0.0.1:8080`. */
  readonly provider: string;
  /**
   * Streams one answer. Each item is the batch of parts that one network read brought, never empty: batches keep the
   * cost of a token at a fraction of a microtask.
   *
   * What the upstream does wrong comes as an `error` part. Throws only AbortError.
   */
  chat(request: ChatRequest, options?: CallOptions): AsyncIterable<readonly StreamPart[]>;
  /** The models on offer. Throws ToolyardError. */
  models(options?: CallOptions): Promise<ModelInfo[]>;
}
