export type { JsonObject, JsonValue, ParsedJson } from './json.ts';
export { canonicalJson, isJsonObject, parseJson } from './json.ts';
export { defined } from './defined.ts';
export { roundsOf } from './group-rounds.ts';
export type {
  ErrorCode,
  ErrorInfo,
  ToolAnnotations,
  ToolOrigin,
  ToolReference,
  Price,
  Rates,
  ToolChange,
  ToolDifference,
  Problem,
  AgentReference,
  AskedBy,
  TextTemplate,
  TextTemplates,
} from './schemas/common.ts';
export type { ErrorInit } from './errors.ts';
export {
  createErrorInfo,
  isAbortError,
  isStorageFault,
  messageOf,
  messageText,
  ToolyardError,
  toErrorInfo,
} from './errors.ts';
export type { AnyText } from './say.ts';
export { fillTemplate, readTemplates, say, TranslatableText, withTemplate, withTemplates } from './say.ts';
export type { SchemaCheck, SchemaValidator } from './schema-check.ts';
export { compileSchemaCheck } from './schema-check.ts';
export type {
  AssistantPart,
  AudioPart,
  CitationPart,
  ErrorPart,
  FilePart,
  ImagePart,
  MalformedToolCallPart,
  MediaSource,
  PromptMessage,
  PromptPart,
  ReasoningPart,
  ResourcePart,
  TextCall,
  TextCallSource,
  TextPart,
  ToolCallPart,
  ToolContentPart,
  ToolOutcome,
  ToolResult,
  UnmadeCall,
  UserPart,
} from './schemas/parts.ts';
export type {
  ToolResultPart,
  AssistantMessage,
  FinishReason,
  CompactedRange,
  Message,
  MessageEnd,
  SystemMessage,
  ToolMessage,
  UserMessage,
  Usage,
} from './schemas/messages.ts';
export type { PermissionView, SetPermission } from './schemas/permissions.ts';
export type { TaskHandle } from './tools.ts';
export type { ToolDefinition, RequestPrelude, SentRequest } from './schemas/sent-requests.ts';
export type {
  SkillDetail,
  SkillFile,
  SkillList,
  SkillProblem,
  SkillSource,
  SkillView,
  SwitchSkill,
} from './schemas/skills.ts';
export {
  findDecision,
  formatToolReference,
  CONTINUES_ELSEWHERE,
  originOf,
  readsOnlyInside,
  readTaskHandle,
} from './tools.ts';
export { textOf } from './messages.ts';
export type { Draft, DraftAttachment, SaveDraft } from './schemas/drafts.ts';
export type {
  ChangeSchedule,
  CreateSchedule,
  DescriptionLanguage,
  MissedPolicy,
  OverlapPolicy,
  PreviewSchedule,
  ScheduleConditions,
  ScheduleDefinition,
  ScheduleFiring,
  SchedulePlan,
  SchedulePreview,
  ScheduleTiming,
  ScheduleView,
} from './schemas/schedules.ts';
export type {
  ChangeGroup,
  CreateGroup,
  GroupCallResult,
  GroupDefinition,
  GroupMember,
  GroupMode,
  GroupRunView,
  GroupStop,
  GroupSupervisor,
  GroupView,
  MemberOutcome,
} from './schemas/groups.ts';
export type { GroupCallKind, MemberTurn } from './schemas/member-turns.ts';
export type {
  ChangeTrigger,
  CreateTrigger,
  SavedTrigger,
  TestedTrigger,
  TriggerDefinition,
  TriggerDelivery,
  TriggerSignature,
  TriggerView,
} from './schemas/triggers.ts';
export type { Artifact, ArtifactExport, ArtifactKind, ArtifactList } from './schemas/artifacts.ts';
export { MAX_MEMORIES, MAX_MEMORY_LENGTH } from './memory.ts';
export type { Memory } from './schemas/memories.ts';
export type { MediaTools } from './schemas/media-tools.ts';
export type { ContentPart, MediaPart, MediaType } from './content-parts.ts';
export { CONTENT_PARTS, isMediaPart, isMediaType, labelOf } from './content-parts.ts';
export { imageTypeOf, mediaTypeOf } from './media-type.ts';
export type { MediaData } from './media-data.ts';
export { base64Of, readMediaData } from './media-data.ts';
export { textOfSource } from './text-source.ts';
export type {
  ContextFill,
  ModelRequestRecord,
  ApprovalAnswer,
  ApprovalInterrupt,
  ApprovalScope,
  BudgetAnswer,
  BudgetInterrupt,
  CallInterrupt,
  ElicitationAnswer,
  FormInterrupt,
  InDoubtAnswer,
  InDoubtInterrupt,
  Interrupt,
  InterruptAnswer,
  PromptAnswer,
  PromptInterrupt,
  SamplingContent,
  SamplingDecision,
  SamplingInterrupt,
  SamplingMessage,
  SelectionAnswer,
  SelectionInterrupt,
  ShownCall,
  SignInAnswer,
  SignInInterrupt,
  TabAnswer,
  TabInterrupt,
  UrlInterrupt,
  RunLocation,
  RunEvent,
  RunEventBody,
  RunEventEnvelope,
  RunStatus,
  InterruptMode,
  RunRecord,
  StoredInterrupt,
  AnsweredInterrupts,
  AnswerInterrupt,
  AnswerInterrupts,
  MissingRole,
  RunView,
} from './schemas/runs.ts';
export type { RunOrigin, RunSummary, RunTree } from './schemas/run-list.ts';
export type { InstructionType } from './schemas/instructions.ts';
export type { SubAgentContext, SubAgentList, SubAgentTask, SubAgentView } from './schemas/sub-agents.ts';
export { MAX_SUB_AGENT_TASKS } from './sub-agents.ts';
export type { FramePolicy } from './frame-policy.ts';
export { frameQuery, isFrameSource, NO_NETWORK, readFrameQuery } from './frame-policy.ts';
export { addUsage, costOf } from './usage.ts';
export { DEFAULT_KEY_SCOPES, KEY_SCOPES, LIMITED_KEY_SCOPES, SCOPES } from './access.ts';
export type {
  ApiKeyLimits,
  ApiKeyView,
  CreateApiKey,
  CreatedApiKey,
  FileLinks,
  PrincipalVia,
  RateLimit,
  SessionView,
  SignedIn,
  SignedInSession,
  SignIn,
  SignInLink,
} from './schemas/access.ts';
export type { KeyScope, Scope } from './access.ts';
export type { Principal } from './principal.ts';
export {
  formatAmount,
  budgetExceeded,
  checkRaisedLimit,
  mergeBudgets,
  budgetPhrase,
  addSpent,
  ZERO_SPENT,
  exhaustedMeasure,
} from './budgets.ts';
export type {
  Budget,
  ConversationExample,
  InterventionMode,
  InterventionRule,
  ModelParameters,
  OnMaxTurns,
  ReasoningEffort,
  RunLimits,
  ToolMode,
  AgentConfiguration,
  ModelReference,
  ResolvedAgentConfiguration,
} from './schemas/configuration.ts';
export type { BudgetFault, BudgetLimits, BudgetMeasure } from './budget-faults.ts';
export { budgetKey, faultsOfBudgets } from './budget-faults.ts';
export type { BudgetView, Spent, UsageBy, UsageReport, UsageRow, UsageSum } from './schemas/usage.ts';
export { alwaysAsks, decisionsFor, isOnceOnly } from './interrupts.ts';
export type { FormFault, FormField, FormOption } from './forms.ts';
export { MAX_OPEN_REQUESTS } from './request-limits.ts';
export { asksForSecret, checkForm, formFaultText, readForm } from './forms.ts';
export { foldCase, foldText, isPlainText, showHidden } from './hidden-characters.ts';
export { areLookalikes, nameShape, showName } from './shown-names.ts';
export { hasUserinfo, hostName, hostsNamedIn, normalHost, plainWebUrl, readUrl } from './urls.ts';
export type { FactEvent } from './events.ts';
export { RUN_EVENT_VERSION } from './event-version.ts';
export { ignoreEvent, ignoreUnknownEvent } from './events.ts';
export type {
  ModelInput,
  ChangeProvider,
  CreateProvider,
  ProviderPresetView,
  ModelView,
  ModelsView,
  ProviderView,
  TestProvider,
  TestedProvider,
} from './schemas/models.ts';
export { DEFAULT_LIMITS } from './agents.ts';
export type { PresetTaskCall, PresetTaskResult, PresetTaskValues } from './schemas/preset-tasks.ts';
export type { ChangeTranslation, MessageTranslation } from './schemas/translations.ts';
export type {
  AgentExport,
  AgentFormat,
  AgentPartLeftOut,
  AgentProfile,
  AgentView,
  ChangeAgent,
  CreateAgent,
  ImportedAgents,
} from './schemas/agents.ts';
export { firstEmoji, isEmoji } from './emoji.ts';
export type { PresetTaskName, TranslationLanguage } from './preset-tasks.ts';
export { PRESET_TASKS, TRANSLATION_LANGUAGES } from './preset-tasks.ts';
export type { ResolvedSettings, Setting, SettingPath, SettingSection, SettingValues } from './settings.ts';
export { defaultSettings, SETTINGS, settingsIn } from './settings.ts';
export { pause, systemClock } from './ports.ts';
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
  AcquireOptions,
  AnswerOutcome,
  CommitOutcome,
  CreateRunOutcome,
  Durability,
  InboxItem,
  InboxKind,
  InterruptChanges,
  LeasedRun,
  LeaseRenewal,
  LeaseTerms,
  NewChildConversation,
  NewRunWebhook,
  NewRun,
  Owner,
  PutInboxOutcome,
  AnswerSideEffect,
  CommitNumber,
  RunCommit,
  RunStore,
  UsageEntry,
} from './run-store.ts';
export type { LedgerChange, LedgerEntry, LedgerStatus } from './schemas/ledger.ts';
export type {
  CallVerdict,
  JudgedCall,
  ListedTools,
  MadeTabToolCall,
  ReadTabTools,
  TabRunTools,
} from './schemas/tab-tools.ts';
export type { StartTabSubAgents, TabSubAgentResults } from './schemas/tab-sub-agents.ts';
export type { CommittedFromTab, LeasedTabRun, StartRunInTab, TabRunInbox, ClaimedTabRun } from './schemas/tab-runs.ts';
export type {
  ChangeConversation,
  ChangeQueuedMessage,
  ContinueConversation,
  ContinuedConversation,
  ConversationExport,
  ConversationSummary,
  ConversationView,
  CreateConversation,
  MessagePage,
  QueuedMessage,
  Regenerate,
  SendMessage,
  SentMessage,
} from './schemas/conversations.ts';
export type { CheckPreflight, CreateProxyTicket, PreflightView, ProxyTicket } from './schemas/proxy.ts';
export type { LiveEvent, PropsView, UploadedFile } from './schemas/operations.ts';
export type { Page } from './api.ts';
export type { SettingsView } from './schemas/configuration.ts';
export type {
  AddMcpServer,
  EditMcpServer,
  McpFinding,
  McpResourceLimits,
  McpSandbox,
  McpSecretValue,
  McpPlugin,
  McpServerConfiguration,
  SetMcpPlugin,
  McpTestReport,
  McpTransport,
  TestMcpServer,
} from './schemas/mcp-configuration.ts';
export type {
  ApproveMcpEntry,
  ChangeMcpServer,
  McpBlockedAccess,
  McpCapabilities,
  McpIsolation,
  McpEntryApproval,
  McpIntroduction,
  McpOffers,
  McpPhase,
  McpServerIcon,
  McpServerList,
  McpServerState,
  McpServerView,
  McpSignInStarted,
  McpSignInView,
  McpToolDetail,
  McpToolView,
  McpTransportView,
} from './schemas/mcp-servers.ts';
export type {
  CallMcpTool,
  CompleteMcpArgument,
  GetMcpPrompt,
  CallFromMcpApp,
  AppCallVerdict,
  CheckTabAppCall,
  McpAppCall,
  McpAppDocument,
  McpCompletion,
  McpFilledPrompt,
  McpFollowedResources,
  McpLogEntry,
  McpLogPage,
  McpPromptList,
  McpPromptView,
  McpResourceContents,
  McpResourceView,
  McpTaskList,
  McpTaskView,
  McpTemplateView,
  McpTestedCall,
  McpToolTest,
  ReadMcpResource,
  TestMcpTool,
} from './schemas/mcp-offers.ts';
export type { ConfirmUnsandboxed, UnsandboxedServers } from './schemas/unsandboxed.ts';
export type {
  ResumedRun,
  RunCall,
  RunExport,
  RunResult,
  RunModelCall,
  RunInterrupt,
  RunStep,
  RunSteps,
  StartedRun,
  StartRun,
} from './schemas/run-steps.ts';
export type { SetWebTools, WebToolsView } from './schemas/web-tools.ts';
export { SEARCH_ENGINES, type SearchEngine } from './search-engines.ts';
export type {
  RunWebhookView,
  SetWebhook,
  SetWebhookAnswer,
  TestedWebhook,
  WebhookState,
  WebhookView,
} from './schemas/webhook.ts';
export type { WebhookEvent, WebhookMessage } from './webhook.ts';
export { WEBHOOK_EVENTS } from './webhook.ts';
export { MAX_CONCURRENT_CALLS } from './mcp-api.ts';
export { VERSION } from './version.ts';
export { WIRES } from './wires.ts';
export type { WireName } from './wires.ts';
export type {
  AskFromTab,
  ClaimedTabCall,
  FinishTabCall,
  OfferTabTools,
  TabCallView,
  TabInputRequest,
  TabInputAnswer,
  TabServer,
  TabTool,
} from './schemas/tabs.ts';
export type { CommitFromTab, FromTab } from './tab-api.ts';
export { TAB_RUNS_VERSION } from './tab-api.ts';
export { faultsOfRules } from './intervention-rules.ts';
export type { ApiClient, ApiTransport } from './api-client.ts';
export { createApiClient, pathOf } from './api-client.ts';
