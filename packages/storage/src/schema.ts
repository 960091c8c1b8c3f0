import type { ColumnType } from 'kysely';
import type {
  JsonObject,
  JsonValue,
  Message,
  RunWebhookView,
  TabInputRequest,
  TabInputAnswer,
  TabServer,
  ToolOrigin,
  ToolResult,
} from '@toolyard/protocol';

/** A JSON column: written as text, read as a value (see `json-columns.ts`). */
type Json<T> = ColumnType<T, string, string>;

/** The tables of the repositories, for Kysely. The SQL of the run tables is written by hand, in `runs/`. */
export type Schema = {
  conversations: {
    id: string;
    owner_id: string;
    title: string;
    agent_id: string | null;
    configuration: Json<JsonObject>;
    leaf_id: string | null;
    pinned: number;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
    /** The conversation, run and call that started it as a sub-agent; null for a top-level conversation. */
    parent_id: string | null;
    parent_run_id: string | null;
    parent_call_id: string | null;
    /** Null: it has no name. */
    titled_by: TitledBy | null;
    /** Until then, in milliseconds since 1970, a process generates the title. */
    title_claimed_until: number | null;
    temporary: number;
    /** The group that answers in it. */
    group_id: string | null;
  };
  messages: {
    conversation_id: string;
    id: string;
    parent_id: string | null;
    owner_id: string;
    run_id: string | null;
    role: string;
    created_at: number;
    message: Json<Message>;
    /** 1 for an answer that was started and abandoned. */
    abandoned: number;
  };
  agents: {
    id: string;
    owner_id: string;
    title: string;
    configuration: Json<JsonObject>;
    profile: Json<JsonObject>;
    version: number;
    created_at: number;
    updated_at: number;
  };
  groups: {
    id: string;
    owner_id: string;
    title: string;
    definition: string;
    version: number;
    created_at: number;
    updated_at: number;
  };
  settings: { owner_id: string; key: string; value: Json<JsonValue>; updated_at: number };
  permissions: {
    owner_id: string;
    conversation_id: string | null;
    server_id: string;
    tool_name: string;
    decision: 'allow' | 'never';
    decided_at: number;
    origin: ToolOrigin;
  };
  secrets: { owner_id: string; name: string; sealed: Uint8Array; updated_at: number };
  sign_ins: {
    owner_id: string;
    key: string;
    version: string;
    sealed: Uint8Array;
    expires_at: number | null;
    updated_at: number;
  };
  sessions: {
    id: string;
    owner_id: string;
    token_hash: string;
    secret_hash: string;
    user_agent: string;
    created_at: number;
    last_used_at: number;
    expires_at: number;
  };
  sign_in_codes: { code_hash: string; owner_id: string; expires_at: number };
  api_keys: {
    id: string;
    owner_id: string;
    key_hash: string;
    name: string;
    start: string;
    /** Names separated by commas. */
    scopes: string;
    /** JSON; null: none. */
    limits: string | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  webhooks: {
    owner_id: string;
    url: string;
    /** Names, with a comma before and after each. */
    events: string;
    origin: 'file' | 'settings';
    updated_at: number;
  };
  email_subscriptions: {
    owner_id: string;
    /** Names, with a comma before and after each. */
    events: string;
  };
  announcements: {
    id: string;
    owner_id: string;
    event: string;
    run_id: string;
    interrupt_id: string | null;
    happened_at: number;
    attempts: number;
    due_at: number;
    /** How the notification is delivered; `run`: to the webhook of the run itself. */
    channel: 'webhook' | 'email' | 'run';
  };
  run_webhooks: {
    run_id: string;
    owner_id: string;
    url: string;
    trusted: number;
    state: RunWebhookView['state'];
    failures: number;
    error: string | null;
  };
  drafts: {
    owner_id: string;
    /** Null: the new chat. */
    conversation_id: string | null;
    draft: Json<JsonObject>;
    updated_at: number;
  };
  artifacts: {
    conversation_id: string;
    id: string;
    version: number;
    owner_id: string;
    run_id: string;
    call_id: string;
    kind: string;
    language: string | null;
    title: string;
    content: Json<{ blob: string }>;
    size: number;
    created_at: number;
  };
  memories: {
    id: string;
    owner_id: string;
    text: string;
    /** No foreign keys: a memory stays when its conversation is deleted. */
    conversation_id: string | null;
    run_id: string | null;
    call_id: string | null;
    created_at: number;
    updated_at: number;
  };
  translations: {
    conversation_id: string;
    message_id: string;
    owner_id: string;
    from_language: string | null;
    to_language: string | null;
    translated: string | null;
    updated_at: number;
  };
  request_preludes: {
    conversation_id: string;
    id: string;
    owner_id: string;
    prelude: string;
    made_at: number;
  };
  tab_offers: {
    owner_id: string;
    conversation_id: string;
    tab_id: string;
    servers: Json<TabServer[]>;
    seen_until: number;
    offered_at: number;
  };
  tab_calls: {
    owner_id: string;
    call_id: string;
    run_id: string;
    conversation_id: string;
    server_id: string;
    tool_name: string;
    arguments: Json<JsonObject>;
    definition: string;
    status: 'held' | 'open' | 'claimed' | 'executing' | 'done' | 'withdrawn';
    tab_id: string | null;
    fence: number;
    result: ColumnType<ToolResult | null, string | null, string | null>;
    updated_at: number;
  };
  tab_questions: {
    owner_id: string;
    run_id: string;
    call_id: string;
    id: string;
    question: Json<TabInputRequest>;
    answer: ColumnType<TabInputAnswer | null, string | null, string | null>;
  };
};

/** Who named a conversation. `message`: it has the beginning of its first message as a title. */
export type TitledBy = 'user' | 'message' | 'task';
