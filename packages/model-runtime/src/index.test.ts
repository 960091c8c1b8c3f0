import { expect, test } from 'vitest';
import * as room from './index.ts';

test('what others may use is exactly this', () => {
  expect(Object.keys(room).sort()).toEqual([
    'LOCAL_SERVERS',
    'anthropicCompatibleFactory',
    'createDemoRuntime',
    'createModelRuntime',
    'createOpenAiChatRuntime',
    'createProviderRuntime',
    'fillAddress',
    'findLocalServers',
    'loadProviders',
    'loadUnreachedProviders',
    'openaiCompatibleFactory',
    'placeholdersIn',
    'providersInEnvironment',
    'toOpenAiMessages',
    'toOpenAiTools',
  ]);
});
