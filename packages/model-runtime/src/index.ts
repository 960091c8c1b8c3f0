export type {
  CallOptions,
  ChatCallbacks,
  ChatOptions,
  ChatRequest,
  ChatSummary,
  CreatedImages,
  Embeddings,
  EmbeddingsRequest,
  GeneratedObject,
  ImageRequest,
  ModelInfo,
  ModelRuntime,
  ObjectRequest,
  ResponseFormat,
  Speech,
  SpeechFormat,
  SpeechRequest,
  StreamPart,
  ToolChoice,
  Transcription,
  TranscriptionRequest,
  WrittenAsText,
} from './types.ts';
export type { TextPosition } from './text-position.ts';
export { rememberNativeCalls, type NativeCallMemory } from './native-call-memory.ts';
export {
  createModelRuntime,
  createOpenAiChatRuntime,
  type ModelRuntimeOptions,
  type OpenAiChatOptions,
} from './create-runtime.ts';
export type { AnthropicQuirks } from './anthropic-messages/quirks.ts';
export type { WireName } from './wire/names.ts';
export type { OpenAiChatQuirks } from './openai-chat/quirks.ts';
export { createDemoRuntime } from './demo/runtime.ts';
export type { DemoOptions } from './demo/types.ts';
export { findLocalServers, type FindLocalServersOptions, type LocalServer } from './local-servers.ts';
export { LOCAL_SERVERS, type LocalServerRecord } from './local-servers-data.ts';
export {
  anthropicCompatibleFactory,
  createProviderRuntime,
  openaiCompatibleFactory,
  type CompatibleProvider,
  type ProviderOptions,
} from './providers/factories.ts';
export { fillAddress, placeholdersIn } from './providers/address.ts';
export { providersInEnvironment, type ProviderInEnvironment } from './providers/environment.ts';
export { loadProviders, loadUnsupportedProviders } from './providers/load.ts';
export type { ProviderRecord, UnsupportedProvider, WireFacts } from './providers/types.ts';
export { missingKeyError } from './wire/provider-error.ts';
export { generateObjectByChat, withChat } from './with-chat.ts';
export type { ModelListing } from './wire/model-listing.ts';
export { loadingError, LOADING_POLL_MS, MAX_LOADING_MS } from './wire/loading.ts';
