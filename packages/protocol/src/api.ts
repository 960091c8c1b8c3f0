import type { ConversationExample, InterventionRule, ModelInput, ModelParameters, RunLimits } from './agents.ts';
import type { Budget } from './budgets.ts';
import type { ErrorInfo } from './errors.ts';
import type { RunEvent } from './events.ts';
import type { InterruptAnswer, Shown } from './interrupts.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { AssistantMessage, Message, UserMessage } from './messages.ts';
import type { UserPart } from './parts.ts';
import type { RunRecord, StoredInterrupt } from './run-store.ts';
import type { ResolvedSettings, SettingValues } from './settings.ts';
import type { Price, Usage } from './usage.ts';
import type { WireName } from './wires.ts';

/**
 * What goes over Toolyard's own HTTP API (`/api/...`), between the server and the page, the command line or whoever
 * else. Times are milliseconds since 1970. Every list is a {@link Page}, `{ items }`; one that may be long comes in
 * pieces: `next` is given back as `after`.
 *
 * Every refusal is `application/problem+json`: {@link Problem}.
 */

/** RFC 9457, with the code and hint of {@link ErrorInfo}. */
export type Problem = {
  type: 'about:blank';
  title: string;
  status: number;
  detail: string;
  code: ErrorInfo['code'];
  hint?: string;
  /** Where in the request the fault is, for a body or a query that does not fit: `messages.0.text: it must be a text, not 3`. */
  issues?: { path: string; message: string }[];
};

export type Page<T> = { items: T[]; next?: string };

/** A model of a provider: together they are its only identity. */
export type ModelReference = { providerId: string; modelId: string };

/**
 * How an agent works. Each layer may omit what it does not override; the later layer wins: default, agent,
 * conversation, run.
 */
export type AgentConfiguration = SettingValues<''> & {
  model?: ModelReference;
  parameters?: ModelParameters;
  limits?: SettingValues<'limits'>;
  /** Servers enabled or disabled by choice; the others follow their own default. */
  servers?: Record<string, boolean>;
  /** Disabled tools, as `server/tool`. */
  disabledTools?: string[];
  /** Shown to the model before the conversation. */
  examples?: ConversationExample[];
  /** The rules of all layers apply together. */
  interventionRules?: InterventionRule[];
  /**
   * Rules that were stored here could not be read; one of them may have denied calls. Until this field is removed, every
   * call is asked about that is not built-in and read-only, whatever the rules allow.
   */
  lostRules?: true;
  /** Of two budgets for the same thing the one of the later layer applies. */
  budgets?: Budget[];
};

/** The configuration after all layers are merged. */
export type ResolvedAgentConfiguration = ResolvedSettings<''> & {
  model: ModelReference | null;
  parameters: ModelParameters;
  limits: RunLimits;
  servers: Record<string, boolean>;
  disabledTools: string[];
  examples?: ConversationExample[];
  interventionRules: InterventionRule[];
  lostRules?: true;
  budgets: Budget[];
};

export type AgentView = {
  id: string;
  title: string;
  configuration: AgentConfiguration;
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type ConversationSummary = {
  id: string;
  /** Empty until something was said; shown then as "new chat". */
  title: string;
  agentId: string | null;
  pinned: boolean;
  createdAt: number;
  updatedAt: number;
  /** The run under way, if there is one. */
  activeRun: { id: string; status: RunRecord['status'] } | null;
  /** With a search: the words around what was found, the finds between U+0002 and U+0003. */
  snippet?: string;
};

/**
 * A stretch of one branch, oldest first.
 */
export type MessagePage = {
  messages: Message[];
  /**
   * For each message above that has them: all messages with the same parent, itself included, by age, without
   * abandoned ones. Choosing another one is a change of the leaf.
   */
  alternatives: Record<string, string[]>;
  /** Answers that were begun and abandoned beside the messages above; their parent tells where. */
  abandoned: AssistantMessage[];
  /** True where older messages of this branch come before the first. */
  earlier: boolean;
};

export type ConversationView = Omit<ConversationSummary, 'activeRun' | 'snippet'> & {
  configuration: AgentConfiguration;
  leafId: string | null;
  /** What all layers give together. */
  resolved: ResolvedAgentConfiguration;
  /** The end of the current branch. */
  page: MessagePage;
  /** Read its events from 0, or what `page` does not hold of it. */
  activeRun: RunRecord | null;
  queue: QueuedMessage[];
  interrupts: StoredInterrupt[];
};

export type CreateConversation = { id?: string; title?: string; agentId?: string; configuration?: AgentConfiguration };

export type ChangeConversation = {
  title?: string;
  pinned?: boolean;
  agentId?: string | null;
  /** Takes the place of the whole configuration. */
  configuration?: AgentConfiguration;
  /** Shows the branch that ends in this message, or, of one with answers, the newest below it. */
  leafId?: string;
};

export type SendMessage = {
  /** Made by the sender, so that sending again after a lost connection stores it once. */
  id?: string;
  parts: UserPart[];
  /** What it follows; absent: the current leaf. For an edited message the parent of the old one (null: the first). */
  parentId?: string | null;
  /**
   * What to do while a run is under way; default `queue`. `steer`: the run takes it in before its next step; should it
   * end before that, the message is sent when its turn comes.
   */
  whenBusy?: 'queue' | 'steer' | 'interrupt' | 'refuse';
  /** Counts for this run only. */
  configuration?: AgentConfiguration;
};

/** 201 with `run`, or 202 with `queued`. */
export type SentMessage = { run: RunRecord; message: UserMessage } | { queued: QueuedMessage };

/** Answers the same message anew, as another branch: that of the person before `messageId`, which is an answer. */
export type Regenerate = { messageId: string; configuration?: AgentConfiguration };

/**
 * Goes on where the conversation broke off: an answer that was cut, a run that ended after a tool had answered, a
 * message that was never answered. `messageId`: the last message as the sender knows it; another one is a conflict.
 */
export type ContinueConversation = { messageId?: string; configuration?: AgentConfiguration };

/**
 * `same`: the answer goes on in its own text, as a new version of that message beside the cut one. `new`: the provider
 * cannot do that, and a new message goes on. `answer`: nothing had been said, the answer is written now.
 */
export type ContinuedConversation = { run: RunRecord; how: 'same' | 'new' | 'answer' };

export type QueuedMessage = {
  id: string;
  conversationId: string;
  parts: UserPart[];
  createdAt: number;
  /** Counts for its run only, as it was sent. */
  configuration?: AgentConfiguration;
  /** The run in progress takes it in before its next step. */
  steers?: true;
};
/** `before`: the id of the queued message it is to stand before; null: the end. */
export type ChangeQueuedMessage = { parts?: UserPart[]; before?: string | null };

export type AnswerInterrupt = { answer: InterruptAnswer; shown?: Shown };
/** Many at once, each with its own outcome: one that is refused keeps none of the others. */
export type AnswerInterrupts = { answers: ({ id: string } & AnswerInterrupt)[] };
/** In the order of the answers. */
export type AnsweredInterrupts = {
  items: (
    | { id: string; outcome: 'answered'; interrupt: StoredInterrupt }
    | { id: string; outcome: 'refused'; error: ErrorInfo }
  )[];
};

export type ProviderView = {
  id: string;
  label: string;
  /** Where it was learnt of. Only `settings` can be changed or removed here. */
  origin: 'built-in' | 'environment' | 'file' | 'found' | 'settings';
  /** Where the same provider stands, too, and does not count. */
  overrides?: ('file' | 'settings')[];
  /** The variables of the environment it comes from. */
  variables?: string[];
  baseUrl: string | null;
  hasKey: boolean;
  /** Which API it speaks; null where it is reached over none. */
  wire: WireName | null;
  /** The id of the known provider it is. */
  known?: string;
  /** Its models where somebody named them. */
  modelNames?: string[];
};
/** Without a `wire` it is that of the known provider, else OpenAI's chat completions. */
export type CreateProvider = {
  id?: string;
  label: string;
  baseUrl: string;
  apiKey?: string;
  wire?: WireName;
  known?: string;
  modelNames?: string[];
};
/** An `apiKey` or `known` of null removes it; what is absent stays. */
export type ChangeProvider = {
  label?: string;
  baseUrl?: string;
  apiKey?: string | null;
  wire?: WireName;
  known?: string | null;
  modelNames?: string[];
};
/** Asks the address for its models without storing anything; `id` stands for the stored key of that provider. */
export type TestProvider = Omit<CreateProvider, 'label'>;
/** A provider whose address and API are known, so that only a key is wanted. */
export type KnownProviderView = {
  id: string;
  label: string;
  /** Served by somebody, or by a program of one's own. */
  place: 'hosted' | 'own';
  wire: WireName;
  /** May hold `{NAME}`, for something of one's own. */
  baseUrl: string;
  /** The variables its key is looked for in. */
  keyVariables: string[];
  /** Where its keys are made; null where it wants none. */
  keyPage: string | null;
  /** True where it tells no list that helps: a person names the models. */
  wantsModelNames: boolean;
  note?: string;
  /** Where these facts stand. */
  source: string;
  proof: 'tried' | 'documented';
};
export type TestedProvider = { ok: true; models: string[] } | { ok: false; error: ErrorInfo };

export type ModelView = {
  providerId: string;
  providerLabel: string;
  modelId: string;
  /** In tokens. */
  contextWindow?: number;
  /** Absent: unknown, which is not nothing. */
  price?: Price;
  /** What it reads, where its server says so. */
  inputs?: ModelInput[];
};
/** Every model that is to be had now, and of each provider that could not be asked the reason. */
export type ModelsView = {
  models: ModelView[];
  failures: { providerId: string; providerLabel: string; error: ErrorInfo }[];
  /** What a new conversation uses; null where there is none. */
  standard: ModelReference | null;
};

/** A one-time key to the proxy for one address, for who can send no headers. */
export type CreateProxyTicket = { target: string; headers?: Record<string, string> };
export type ProxyTicket = { ticket: string; expiresAt: number };

/** Whether a page of this server may speak with an MCP server directly; `headers` are names of those it would send. */
export type CheckPreflight = { url: string; headers?: string[] };
export type PreflightView = {
  /** True where no browser would be in the way. */
  ok: boolean;
  /** What the other server lacks, by the header that would say so; null where it is something else. */
  problems: { header: string | null; message: string }[];
};
/** `defaults` is the undermost layer of every configuration; other keys are the page's own. */
export type SettingsView = { defaults: AgentConfiguration } & Record<string, JsonValue | AgentConfiguration>;

export type UploadedFile = { sha256: string; size: number; mimeType: string };

/** `ui_settings` is what the owner set with `--ui-config`; `webui` and `webui_settings` repeat them for older clients. */
export type PropsView = {
  ui: boolean;
  ui_settings: JsonObject;
  cors_proxy_enabled: boolean;
  webui: boolean;
  webui_settings: JsonObject;
  version: string;
};

/**
 * `GET /api/events`: one stream a tab. Each frame is one of these, its `event:` the type; `id:` is a cursor over all
 * runs, given back as `Last-Event-ID` or `?after=`. A run's event may come more than once (known by run and seq) and
 * never out of order.
 *
 * `hello` comes first in every stream: whatever the page shows besides runs is to be fetched anew. `changed` says what
 * is to be fetched again: `id` narrows it.
 */
export type LiveEvent =
  | { type: 'hello'; boot: string; version: string }
  | { type: 'run'; event: RunEvent }
  | {
      type: 'changed';
      what: 'conversations' | 'queue' | 'interrupts' | 'servers' | 'agents' | 'providers' | 'settings' | 'tab_calls';
      id?: string;
    };

/** What usage may be added up by. */
export type UsageBy = 'day' | 'model' | 'agent' | 'tool' | 'conversation';

/** Sums of calls. */
export type UsageSum = {
  /** Of models; for a tool those its server asked for. */
  modelCalls: number;
  toolCalls: number;
  /** Tool calls that failed. */
  failures: number;
  /** Of all calls together, whether or not they ran at once. */
  durationMs: number;
  /** What is known of the tokens. */
  usage: Usage;
  /** What is known, in US dollars; null where there are calls and the cost of none is known. */
  cost: number | null;
  /** Model calls whose cost nobody knows. */
  unpriced: number;
  /** Model calls that told no tokens. */
  uncounted: number;
};

/**
 * `key`: the day (`2026-11-21`), `provider/model`, `server/tool`, or the id of agent or conversation, empty where there
 * was none. `label`: what that is called, if it is still there.
 */
export type UsageRow = UsageSum & { key: string; label: string };

/** `GET /api/usage`: days in UTC, both included. */
export type UsageReport = { from: string; to: string; by: UsageBy; rows: UsageRow[]; total: UsageSum };

/** `toolyard-export` of one conversation: every branch, with what a blob holds written out. */
export type ConversationExport = {
  format: 'toolyard-conversation';
  version: 1;
  exportedAt: number;
  conversation: { id: string; title: string; configuration: AgentConfiguration; leafId: string | null };
  messages: Message[];
};
