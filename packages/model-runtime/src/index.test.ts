import { exportedTypes } from '@toolyard/testing';
import { expect, test } from 'vitest';
import * as fetchSse from './fetch-sse/index.ts';
import * as room from './index.ts';
import * as openAiChat from './openai-chat/index.ts';
import * as webApi from './webapi/index.ts';

test('exports exactly the public API', () => {
  expect(Object.keys(room).sort()).toEqual([
    'LOADING_POLL_MS',
    'LOCAL_SERVERS',
    'MAX_LOADING_MS',
    'anthropicCompatibleFactory',
    'createDemoRuntime',
    'createModelRuntime',
    'createOpenAiChatRuntime',
    'createProviderRuntime',
    'fillAddress',
    'findLocalServers',
    'generateObjectByChat',
    'loadProviders',
    'loadUnsupportedProviders',
    'loadingError',
    'missingKeyError',
    'openaiCompatibleFactory',
    'placeholdersIn',
    'providersInEnvironment',
    'rememberNativeCalls',
    'withChat',
  ]);
  expect(Object.keys(fetchSse)).toEqual(['fetchSSE']);
  expect(Object.keys(openAiChat).sort()).toEqual(['toOpenAiMessages', 'toOpenAiTools']);
  expect(Object.keys(webApi).sort()).toEqual(['WebApiDecoder', 'WebApiEncoder', 'createWebApiRuntime']);
});

test('exports these types and no others', () => {
  const types = `
    AnthropicQuirks CallOptions ChatCallbacks ChatOptions ChatRequest ChatSummary CompatibleProvider CreatedImages
    DemoOptions Embeddings EmbeddingsRequest FindLocalServersOptions GeneratedObject ImageRequest LocalServer
    LocalServerRecord ModelInfo ModelListing ModelRuntime ModelRuntimeOptions NativeCallMemory ObjectRequest
    OpenAiChatOptions OpenAiChatQuirks ProviderInEnvironment ProviderOptions ProviderRecord ResponseFormat Speech
    SpeechFormat SpeechRequest StreamPart TextPosition ToolChoice Transcription TranscriptionRequest
    UnsupportedProvider WireFacts WireName WrittenAsText
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
