import type { ColumnType } from 'kysely';
import type { JsonObject, JsonValue, Message } from '@toolyard/protocol';

/** A JSON column: text as it is written, a value as it is read (see `json-columns.ts`). */
type Json<T> = ColumnType<T, string, string>;

/** The tables the repositories work on, as Kysely sees them. The run tables are written by hand, in `runs/`. */
export type Schema = {
  conversations: ConversationsTable;
  messages: MessagesTable;
  agents: AgentsTable;
  settings: SettingsTable;
  permissions: PermissionsTable;
  secrets: SecretsTable;
  sign_ins: SignInsTable;
  request_preludes: RequestPreludesTable;
};

type ConversationsTable = {
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
};

type MessagesTable = {
  conversation_id: string;
  id: string;
  parent_id: string | null;
  owner_id: string;
  run_id: string | null;
  role: string;
  created_at: number;
  message: Json<Message>;
  /** 1 for an answer that was begun and abandoned. */
  abandoned: number;
};

type AgentsTable = {
  id: string;
  owner_id: string;
  title: string;
  configuration: Json<JsonObject>;
  version: number;
  created_at: number;
  updated_at: number;
};

type PermissionsTable = {
  owner_id: string;
  conversation_id: string | null;
  server_id: string;
  tool_name: string;
  decision: 'allow' | 'never';
  decided_at: number;
};

type SecretsTable = { owner_id: string; name: string; sealed: Uint8Array; updated_at: number };

type SignInsTable = {
  owner_id: string;
  key: string;
  version: string;
  sealed: Uint8Array;
  expires_at: number | null;
  updated_at: number;
};

type RequestPreludesTable = {
  conversation_id: string;
  id: string;
  owner_id: string;
  prelude: string;
  made_at: number;
};

type SettingsTable = { owner_id: string; key: string; value: Json<JsonValue>; updated_at: number };
