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
