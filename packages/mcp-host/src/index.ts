export * as relayMeta from './calls/relay-meta.ts';
export type * from './types.ts';
export type { ToolUi } from './apps/app-extension.ts';
export { LAUNCHERS } from './connection/launcher.ts';
export { checkArguments } from './calls/check-arguments.ts';
export type { FittedArguments } from './calls/fit-arguments.ts';
export { fitArguments } from './calls/fit-arguments.ts';
export type { EraMemory, EraRecord } from './connection/era-memory.ts';
export { createEraMemory } from './connection/era-memory.ts';
export type { CreateTransport, HostTransport, TransportContext, TransportEnd } from './transports/transport.ts';
export type { WebTransportsOptions } from './transports/web-transports.ts';
export { createWebTransports } from './transports/web-transports.ts';
export type { OpenWebSocket, WebSocketLike } from './transports/websocket-transport.ts';
export { platformWebSocket } from './transports/websocket-transport.ts';
export type { HostedConfig, HostedServiceName } from './hosted/hosted-config.ts';
export { readHosted, serviceAddress } from './hosted/hosted-config.ts';
export type { HostedRecord, HostedServersOptions, HostedStore } from './hosted/hosted-servers.ts';
export { HostedServers } from './hosted/hosted-servers.ts';
export type { PluginConfig } from './config/plugin-config.ts';
export type { ServedMethods } from './transports/serve-methods.ts';
export { initialized, MethodError, serveMethods } from './transports/serve-methods.ts';
export type { ServeInMemory } from './transports/in-memory-transport.ts';
export { createInMemoryTransport } from './transports/in-memory-transport.ts';
export type {
  InputRequest,
  FormAnswer,
  ServerRequestContext,
  ServerRequestHandlers,
  SamplingAnswer,
  SamplingRequest,
  UrlRequestContext,
} from './server-requests/answer-request.ts';
export { faultOfUrlToOpen } from './server-requests/url-to-open.ts';
export type { ListedSkill, SkillFile } from './catalogue/skills.ts';
export type { ResourceStore } from './catalogue/resource-store.ts';
export type { PinnedServer, PinStore, ToolPin, VoidedApproval } from './catalogue/trust.ts';
export { definitionHash, pinOf, ToolTrust, unseenPin } from './catalogue/trust.ts';
export type { NumberedEntry } from './log/server-log.ts';
export type { WireEntry } from './log/wire-log.ts';
export { sha256 } from './values/sha256.ts';
export { redactorFor, displayUrl } from './log/redact.ts';
export type { ListedTool } from './catalogue/read-tool.ts';
export type { ServerTools } from './catalogue/tool-index.ts';
export { readIconImage } from './catalogue/icon-image.ts';
export { namedBeside, ToolIndex } from './catalogue/tool-index.ts';
export type { AuthRow, AuthStore } from './oauth/auth-store.ts';
export { createMemoryAuthStore } from './oauth/auth-store.ts';
export type { ClientMetadata } from './oauth/client-identity.ts';
export type { OAuthGrant, OAuthSettings } from './oauth/oauth-settings.ts';
export type { AuthHop, SignInHealth } from './oauth/sign-in-health.ts';
export type { SignInResponse, StartedSignIn } from './oauth/sign-in.ts';
export { readSignInResponse } from './oauth/sign-in.ts';
export type { AllPrompts, McpHostOptions, ListedOffers, SignInOptions } from './host/host-options.ts';
export type { ForwardedRequest, ForwardedServer } from './calls/forward.ts';
export { definitionTokens } from './catalogue/definition-cost.ts';
export type { InspectOptions } from './host/inspect-server.ts';
export { inspectServer, offersOf, redactedError, shownTransport } from './host/inspect-server.ts';
export { McpHost } from './host/host.ts';
export type { CallToTest } from './host/test-call.ts';
export { testCall } from './host/test-call.ts';
