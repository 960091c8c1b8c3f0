export type { JsonObject, JsonValue, ParsedJson } from './json.ts';
export { canonicalJson, isJsonObject, parseJson } from './json.ts';
export type { ErrorCode, ErrorInfo } from './errors.ts';
export { isAbortError, ToolyardError, toErrorInfo } from './errors.ts';
export type {
  AssistantPart,
  AudioPart,
  CitationPart,
  ErrorPart,
  FilePart,
  ImagePart,
  MalformedToolCallPart,
  MediaSource,
  ReasoningPart,
  ResourcePart,
  TextPart,
  ToolCallPart,
  ToolContentPart,
  ToolOutcome,
  ToolResult,
  ToolResultPart,
  UserPart,
} from './parts.ts';
export type { PermissionView, SetPermission, ToolAnnotations, ToolDefinition, ToolReference } from './tools.ts';
export { formatToolReference } from './tools.ts';
export type {
  AssistantMessage,
  FinishReason,
  Message,
  MessageEnd,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from './messages.ts';
export { textOf } from './messages.ts';
export type { Price, Usage } from './usage.ts';
export { addUsage, costOf } from './usage.ts';
export { decisionsFor } from './interrupts.ts';
export type {
  ApprovalAnswer,
  ApprovalInterrupt,
  ApprovalScope,
  ElicitationAnswer,
  FormInterrupt,
  InDoubtAnswer,
  InDoubtInterrupt,
  Interrupt,
  InterruptAnswer,
  SamplingContent,
  SamplingDecision,
  SamplingInterrupt,
  SamplingMessage,
  SignInAnswer,
  SignInInterrupt,
  ToolChange,
  ToolDifference,
  UrlInterrupt,
} from './interrupts.ts';
export type { FormFault, FormField, FormOption } from './forms.ts';
export { asksForSecret, checkForm, formFaultText, readForm } from './forms.ts';
export { showHidden } from './hidden-characters.ts';
export type { InstructionType, Place, RunEvent, RunEventBody, RunEventEnvelope, RunStatus } from './events.ts';
export { RUN_EVENT_VERSION } from './events.ts';
export type { ModelParameters, OnMaxTurns, ReasoningEffort, RunLimits, ToolMode } from './agents.ts';
export { DEFAULT_LIMITS } from './agents.ts';
export { systemClock } from './ports.ts';
export type {
  Clock,
  ConversationPort,
  Failpoint,
  Fetch,
  IdSource,
  PlannedCall,
  RunJournal,
  ToolLedger,
} from './ports.ts';
export type {
  AnswerOutcome,
  CommitOutcome,
  CreateRunOutcome,
  Durability,
  InboxItem,
  InboxKind,
  InterruptChanges,
  InterruptMode,
  LeasedRun,
  LeaseRenewal,
  LeaseTerms,
  LedgerChange,
  LedgerEntry,
  LedgerStatus,
  NewRun,
  Principal,
  PutInboxOutcome,
  RunCommit,
  RunRecord,
  RunStore,
  StoredInterrupt,
} from './run-store.ts';
export type {
  AgentConfiguration,
  AgentView,
  AnswerInterrupt,
  ChangeConversation,
  ChangeProvider,
  ChangeQueuedMessage,
  CheckPreflight,
  ConversationExport,
  ConversationSummary,
  ConversationView,
  CreateConversation,
  CreateProvider,
  CreateProxyTicket,
  KnownProviderView,
  LiveEvent,
  MessagePage,
  ModelReference,
  ModelView,
  ModelsView,
  Page,
  Problem,
  PreflightView,
  PropsView,
  ProviderView,
  ProxyTicket,
  QueuedMessage,
  Regenerate,
  ResolvedAgentConfiguration,
  SendMessage,
  SentMessage,
  SessionView,
  SettingsView,
  TestProvider,
  TestedProvider,
  UploadedFile,
} from './api.ts';
export type {
  AddMcpServer,
  CallMcpTool,
  ChangeMcpServer,
  CompleteMcpArgument,
  EditMcpServer,
  GetMcpPrompt,
  McpCapabilities,
  McpCompletion,
  McpFilledPrompt,
  McpFinding,
  McpIntroduction,
  McpLogEntry,
  McpLogPage,
  McpOffers,
  McpPhase,
  McpPromptList,
  McpPromptView,
  McpResourceContents,
  McpResourceView,
  McpSecretValue,
  McpServerConfiguration,
  McpServerList,
  McpServerState,
  McpServerView,
  McpSignInStarted,
  McpSignInView,
  McpTemplateView,
  McpTestReport,
  McpToolDetail,
  McpToolView,
  McpTransport,
  McpTransportView,
  ReadMcpResource,
  TestMcpServer,
} from './mcp-api.ts';
export { VERSION } from './version.ts';
export { WIRES } from './wires.ts';
export type { WireName } from './wires.ts';
