import { exportedTypes } from '@toolyard/testing';
import { expect, test } from 'vitest';
import * as root from './index.ts';
import * as node from './node/index.ts';

test('the package exports exactly this', () => {
  expect(Object.keys(root).sort()).toEqual([
    'HostedServers',
    'LAUNCHERS',
    'McpHost',
    'MethodError',
    'ToolIndex',
    'ToolTrust',
    'checkArguments',
    'createEraMemory',
    'createInMemoryTransport',
    'createMemoryAuthStore',
    'createWebTransports',
    'definitionHash',
    'definitionTokens',
    'displayUrl',
    'faultOfUrlToOpen',
    'fitArguments',
    'initialized',
    'inspectServer',
    'namedBeside',
    'offersOf',
    'pinOf',
    'platformWebSocket',
    'readHosted',
    'readIconImage',
    'readSignInResponse',
    'redactedError',
    'redactorFor',
    'relayMeta',
    'serveMethods',
    'serviceAddress',
    'sha256',
    'shownTransport',
    'testCall',
    'unseenPin',
  ]);
  expect(Object.keys(node).sort()).toEqual([
    'CERTIFICATE_VARIABLES',
    'McpConfigFile',
    'childEnvironment',
    'closeInheritedDescriptors',
    'configOf',
    'createNodeTransports',
    'createStdioTransport',
    'defaultStateFolder',
    'deleteOtherPrivateFolders',
    'deletePrivateFolder',
    'fillTransport',
    'findCommand',
    'isSecretSetting',
    'killAllStdioChildren',
    'killOrphans',
    'leadsOut',
    'loadPlugin',
    'mcpConfigWithoutValues',
    'networkSettings',
    'readJsonFile',
    'readMcpConfig',
    'readTransport',
    'runSandboxed',
    'sandboxSupport',
    'settingProperties',
    'watchConfigFile',
    'withoutSecretSettings',
  ]);
});

test('rejects servers with duplicate or invalid ids', () => {
  const make = (...ids: string[]): root.McpHost =>
    new root.McpHost({
      servers: ids.map((id) => ({ id, transport: { type: 'http', url: 'http://localhost' } })),
      createTransport: root.createWebTransports({ fetch }),
      clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
      clientInfo: { name: 'test', version: '0' },
    });
  expect(() => make('a', 'a')).toThrow('used twice');
  expect(() => make('a/b')).toThrow('slash');
  expect(() => make('')).toThrow('empty');
});

test('rejects a stdio server without a transport for it', async () => {
  const host = new root.McpHost({
    servers: [{ id: 'local', transport: { type: 'stdio', command: 'node' } }],
    createTransport: root.createWebTransports({ fetch }),
    clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
    clientInfo: { name: 'test', version: '0' },
  });
  await host.connectAll();
  expect(host.health()[0]).toMatchObject({ state: 'failed', error: { code: 'bad_config' } });
  await host.close();
});

test('exports these types and no others', () => {
  const types = `
    AllPrompts AuthHop AuthRow AuthStore CallToTest CallToolOptions Caller ClientMetadata Completion
    CompletionTarget ConnectionPhase CreateTransport Era EraMemory EraRecord FilledPrompt FittedArguments
    FormAnswer ForwardedRequest ForwardedServer HostTransport HostedConfig HostedRecord HostedServersOptions
    HostedServiceName HostedStore IndexedTool InputAnswers InputRequest InputRound InspectOptions ListedOffers
    ListedPrompt ListedResource ListedSkill ListedTemplate ListedTool LogEntry LogLevel McpHostOptions
    McpRequestOptions NumberedEntry OAuthGrant OAuthSettings OpenWebSocket PinStore PinnedServer PluginConfig
    PromptArgument ResourceStore SamplingAnswer SamplingRequest ServeInMemory ServedMethods ServerConfig
    ServerHealth ServerIcon ServerInfo ServerRequestContext ServerRequestHandlers ServerState ServerTools
    SignInHealth SignInOptions SignInResponse SkillFile SkippedItem StartedSignIn ToolHost ToolPin ToolProgress
    ToolUi TransportConfig TransportContext TransportEnd UrlRequestContext VoidedApproval WebSocketLike
    WebTransportsOptions WireEntry
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
