import { exportedTypes } from '@toolyard/testing';
import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports these names and no others', () => {
  expect(Object.keys(root).sort()).toEqual([
    'CONTENT_PARTS',
    'CONTINUES_ELSEWHERE',
    'DEFAULT_KEY_SCOPES',
    'DEFAULT_LIMITS',
    'KEY_SCOPES',
    'LIMITED_KEY_SCOPES',
    'MAX_CONCURRENT_CALLS',
    'MAX_MEMORIES',
    'MAX_MEMORY_LENGTH',
    'MAX_OPEN_REQUESTS',
    'MAX_SUB_AGENT_TASKS',
    'NO_NETWORK',
    'PRESET_TASKS',
    'RUN_EVENT_VERSION',
    'SCOPES',
    'SEARCH_ENGINES',
    'SETTINGS',
    'TAB_RUNS_VERSION',
    'TRANSLATION_LANGUAGES',
    'ToolyardError',
    'TranslatableText',
    'VERSION',
    'WEBHOOK_EVENTS',
    'WIRES',
    'ZERO_SPENT',
    'addSpent',
    'addUsage',
    'alwaysAsks',
    'areLookalikes',
    'asksForSecret',
    'base64Of',
    'budgetExceeded',
    'budgetKey',
    'budgetPhrase',
    'canonicalJson',
    'checkForm',
    'checkRaisedLimit',
    'compileSchemaCheck',
    'costOf',
    'createApiClient',
    'createErrorInfo',
    'decisionsFor',
    'defaultSettings',
    'defined',
    'exhaustedMeasure',
    'faultsOfBudgets',
    'faultsOfRules',
    'fillTemplate',
    'findDecision',
    'firstEmoji',
    'foldCase',
    'foldText',
    'formFaultText',
    'formatAmount',
    'formatToolReference',
    'frameQuery',
    'hasUserinfo',
    'hostName',
    'hostsNamedIn',
    'ignoreEvent',
    'ignoreUnknownEvent',
    'imageTypeOf',
    'isAbortError',
    'isEmoji',
    'isFrameSource',
    'isJsonObject',
    'isMediaPart',
    'isMediaType',
    'isOnceOnly',
    'isPlainText',
    'isStorageFault',
    'labelOf',
    'mediaTypeOf',
    'mergeBudgets',
    'messageOf',
    'messageText',
    'nameShape',
    'normalHost',
    'parseJson',
    'pathOf',
    'pause',
    'plainWebUrl',
    'readForm',
    'readFrameQuery',
    'readMediaData',
    'readTaskHandle',
    'readTemplates',
    'readUrl',
    'readsOnlyInside',
    'roundsOf',
    'say',
    'settingsIn',
    'showHidden',
    'showName',
    'systemClock',
    'textOf',
    'textOfSource',
    'toErrorInfo',
    'withTemplate',
    'withTemplates',
  ]);
});

test('exports these types and no others', () => {
  const types = `
    AcquireOptions AddMcpServer AgentConfiguration AgentExport AgentFormat AgentPartLeftOut AgentProfile
    AgentReference AgentView AnswerInterrupt AnswerInterrupts AnswerOutcome AnswerSideEffect AnsweredInterrupts
    AnyText ApiClient ApiKeyLimits ApiKeyView ApiTransport AppCallVerdict ApprovalAnswer ApprovalInterrupt
    ApprovalScope ApproveMcpEntry Artifact ArtifactExport ArtifactKind ArtifactList AskFromTab AskedBy
    AssistantMessage AssistantPart AudioPart Budget BudgetAnswer BudgetFault BudgetInterrupt BudgetLimits
    BudgetMeasure BudgetView CallFromMcpApp CallInterrupt CallMcpTool CallVerdict ChangeAgent ChangeConversation
    ChangeGroup ChangeMcpServer ChangeProvider ChangeQueuedMessage ChangeSchedule ChangeTranslation ChangeTrigger
    ChatCall ChatMessage CheckPreflight CheckTabAppCall CitationPart ClaimedTabCall ClaimedTabRun Clock CommitFromTab
    CommitNumber CommitOutcome CommittedFromTab CompactedRange CompleteMcpArgument ConfirmUnsandboxed ContentPart
    ContextFill ContinueConversation ContinuedConversation ConversationExample ConversationExport ConversationPort
    ConversationSummary ConversationView CreateAgent CreateApiKey CreateConversation CreateGroup CreateProvider
    CreateProxyTicket CreateRunOutcome CreateSchedule CreateTrigger CreatedApiKey DescriptionLanguage Draft
    DraftAttachment Durability EditMcpServer ElicitationAnswer ErrorCode ErrorInfo ErrorInit ErrorPart FactEvent
    Failpoint Fetch FileLinks FilePart FinishReason FinishTabCall FormFault FormField FormInterrupt FormOption
    FramePolicy FromTab GetMcpPrompt GroupCallKind GroupCallResult GroupDefinition GroupMember GroupMode GroupRunView
    GroupStop GroupSupervisor GroupView IdSource ImagePart ImportedAgents InDoubtAnswer InDoubtInterrupt InboxItem
    InboxKind InstructionType Interrupt InterruptAnswer InterruptChanges InterruptMode InterventionMode
    InterventionRule JsonClient JsonObject JsonValue JudgedCall KeyScope LeaseRenewal LeaseTerms LeasedRun
    LeasedTabRun LedgerChange LedgerEntry LedgerStatus ListedTools LiveEvent MadeTabToolCall MalformedToolCallPart
    McpAppCall McpAppDocument McpBlockedAccess McpCapabilities McpCompletion McpEntryApproval McpFilledPrompt
    McpFinding McpFollowedResources McpIntroduction McpIsolation McpLogEntry McpLogPage McpOffers McpPhase McpPlugin
    McpPromptList McpPromptView McpResourceContents McpResourceLimits McpResourceView McpRouteKey McpSandbox
    McpSecretValue McpServerConfiguration McpServerIcon McpServerList McpServerState McpServerView McpSignInStarted
    McpSignInView McpTaskList McpTaskView McpTemplateView McpTestReport McpTestedCall McpToolDetail McpToolTest
    McpToolView McpTransport McpTransportView MediaData MediaPart MediaSource MediaTools MediaType MemberOutcome
    MemberTurn Memory Message MessageEnd MessagePage MessageTranslation MissedPolicy MissingRole ModelInput
    ModelParameters ModelReference ModelRequestRecord ModelView ModelsView NewChildConversation NewRun NewRunWebhook
    OfferTabTools OnMaxTurns OpenAiChatCall OverlapPolicy Owner Page ParsedJson PermissionView PlannedCall
    PreflightView PresetTaskCall PresetTaskName PresetTaskResult PresetTaskValues PreviewSchedule Price Principal
    PrincipalVia Problem PromptAnswer PromptInterrupt PromptMessage PromptPart PropsView ProviderPresetView
    ProviderView ProxyTicket PutInboxOutcome QueuedMessage RateLimit Rates ReadMcpResource ReadTabTools
    ReasoningEffort ReasoningPart Regenerate RequestPrelude ResolvedAgentConfiguration ResolvedSettings ResourcePart
    ResumedRun RouteAnswer RouteBody RouteContract RouteMethod RouteParams RouteQuery Routes RunCall RunCommit
    RunEvent RunEventBody RunEventEnvelope RunExport RunInterrupt RunJournal RunLimits RunLocation RunModelCall
    RunOrigin RunRecord RunResult RunStatus RunStep RunSteps RunStore RunSummary RunTree RunView RunWebhookView
    SamplingContent SamplingDecision SamplingInterrupt SamplingMessage SaveDraft SavedTrigger ScheduleConditions
    ScheduleDefinition ScheduleFiring SchedulePlan SchedulePreview ScheduleTiming ScheduleView SchemaCheck
    SchemaValidator Scope SearchEngine SelectionAnswer SelectionInterrupt SendMessage SentMessage SentRequest
    SessionView SetMcpPlugin SetPermission SetWebTools SetWebhook SetWebhookAnswer Setting SettingPath SettingSection
    SettingValues SettingsView ShownCall SignIn SignInAnswer SignInInterrupt SignInLink SignedIn SignedInSession
    SkillDetail SkillFile SkillList SkillProblem SkillSource SkillView Spent StartRun StartRunInTab StartTabSubAgents
    StartedRun StoredInterrupt SubAgentContext SubAgentList SubAgentTask SubAgentView SwitchSkill SystemMessage
    TabAnswer TabCallView TabInputAnswer TabInputRequest TabInterrupt TabRunInbox TabRunTools TabServer
    TabSubAgentResults TabTool TaskHandle TestMcpServer TestMcpTool TestProvider TestedProvider TestedTrigger
    TestedWebhook TextCall TextCallSource TextPart TextTemplate TextTemplates ToolAnnotations ToolCallPart ToolChange
    ToolContentPart ToolDefinition ToolDifference ToolLedger ToolMessage ToolMode ToolOrigin ToolOutcome ToolReference
    ToolResult ToolResultPart TranslationLanguage TriggerDefinition TriggerDelivery TriggerSignature TriggerView
    UnmadeCall UnsandboxedServers UploadedFile UrlInterrupt Usage UsageBy UsageEntry UsageReport UsageRow UsageSum
    UserMessage UserPart WebToolsView WebhookEvent WebhookMessage WebhookState WebhookView WireName
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
