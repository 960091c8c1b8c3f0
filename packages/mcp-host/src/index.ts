export * as relayMeta from './relay-meta.ts';
export type {
  AnsweredRound,
  Caller,
  CallToolOptions,
  Completion,
  CompletionTarget,
  ConnectionPhase,
  Era,
  FilledPrompt,
  IndexedTool,
  InputRound,
  ListedPrompt,
  ListedResource,
  ListedTemplate,
  LogEntry,
  LogLevel,
  PromptArgument,
  RequestOptions,
  ServerConfig,
  ServerHealth,
  ServerIcon,
  ServerState,
  SetAside,
  ToolHost,
  ToolProgress,
  TransportConfig,
} from './types.ts';
export { LAUNCHERS } from './launcher.ts';
export { checkArguments } from './check-arguments.ts';
export type { EraMemory, EraRecord } from './era-memory.ts';
export { createEraMemory } from './era-memory.ts';
export type { CreateTransport, HostTransport, TransportContext, TransportEnd } from './transport.ts';
export type { WebTransportsOptions } from './web-transports.ts';
export { createWebTransports } from './web-transports.ts';
export type { OpenWebSocket, WebSocketLike } from './websocket-transport.ts';
export { platformWebSocket } from './websocket-transport.ts';
export type { HostedConfig, HostedServiceName } from './hosted/hosted-config.ts';
export { readHosted, serviceAddress } from './hosted/hosted-config.ts';
export type { HostedRecord, HostedServersOptions, HostedStore } from './hosted/hosted-servers.ts';
export { HostedServers } from './hosted/hosted-servers.ts';
export type { ServeInMemory } from './in-memory-transport.ts';
export { createInMemoryTransport } from './in-memory-transport.ts';
export type {
  AskedQuestion,
  FormAnswer,
  Question,
  QuestionHandlers,
  SamplingAnswer,
  SamplingRequest,
  UrlQuestion,
} from './questions.ts';
export type { Attachment, ResourceDraftOptions } from './resource-draft.ts';
export { ResourceDraft } from './resource-draft.ts';
export type { ListedSkill, SkillFile } from './skills.ts';
export type { ResourceStore } from './resource-store.ts';
export type { PinStore, ToolPin, VoidedApproval } from './trust.ts';
export { definitionHash, pinOf, ToolTrust, unseenPin } from './trust.ts';
export type { NumberedEntry } from './server-log.ts';
export type { WireEntry } from './wire-log.ts';
export { sha256 } from './sha256.ts';
export { redactorFor, shownAddress } from './redact.ts';
export type { ListedTool } from './read-tool.ts';
export type { ServerTools } from './tool-index.ts';
export { ToolIndex } from './tool-index.ts';
export type { AuthRow, AuthStore } from './oauth/auth-store.ts';
export { createMemoryAuthStore } from './oauth/auth-store.ts';
export type { ClientIntroduction } from './oauth/client-identity.ts';
export type { OAuthGrant, OAuthSettings } from './oauth/oauth-settings.ts';
export type { AuthHop, SignInHealth } from './oauth/sign-in-health.ts';
export type { SignInResponse, StartedSignIn } from './oauth/sign-in.ts';
export { readSignInResponse } from './oauth/sign-in.ts';
export type { AllPrompts, McpHostOptions, Offered, SignInOptions } from './host-options.ts';
export type { ForwardedRequest, ForwardedServer } from './forward.ts';
export { definitionTokens } from './definition-cost.ts';
export type { InspectOptions } from './inspect-server.ts';
export { inspectServer, offersOf, redactedError, shownTransport } from './inspect-server.ts';
export { McpHost } from './host.ts';
