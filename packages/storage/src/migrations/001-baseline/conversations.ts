import type { ColumnTypes } from './column-types.ts';

/** Conversations, what belongs to them, and who answers in them. */
export const conversationTables = ({ text, json, int, small, rows, keyed }: ColumnTypes): string[] => [
  // `title_claimed_until`: until then a process generates the title. `parent_*`: the call that started a conversation of a
  // sub-agent; no foreign keys, because a copy writes rows in the order of their ids, and deleting is done together with
  // the parent. `group_id`: no foreign key, because a conversation outlives its group.
  `CREATE TABLE conversations (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    title ${text} NOT NULL,
    titled_by ${text},
    title_claimed_until ${int},
    agent_id ${text},
    group_id ${text},
    configuration ${json} NOT NULL,
    leaf_id ${text},
    parent_id ${text},
    parent_run_id ${text},
    parent_call_id ${text},
    pinned ${small} NOT NULL,
    temporary ${small} NOT NULL DEFAULT 0,
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL,
    deleted_at ${int}
  ) ${rows}`,
  `CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL`,
  `CREATE INDEX conversations_temporary ON conversations (updated_at) WHERE temporary = 1`,
  `CREATE INDEX conversations_of_parent ON conversations (parent_id) WHERE parent_id IS NOT NULL`,
  `CREATE INDEX conversations_listed ON conversations (owner_id, temporary, pinned, updated_at, id)
    WHERE parent_id IS NULL AND deleted_at IS NULL`,
  `CREATE INDEX conversations_in_trash ON conversations (owner_id, pinned, updated_at, id) WHERE deleted_at IS NOT NULL`,

  // The parent is checked without a cascade: a long conversation would exceed the trigger depth limit of SQLite.
  // PostgreSQL checks it at the end of the statement, so that a conversation can be deleted with all its messages. The
  // index covers the tree: parent, age and abandoned answers are read without the table.
  `CREATE TABLE messages (
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    parent_id ${text},
    owner_id ${text} NOT NULL,
    run_id ${text},
    role ${text} NOT NULL,
    created_at ${int} NOT NULL,
    message ${json} NOT NULL,
    abandoned ${small} NOT NULL DEFAULT 0,
    PRIMARY KEY (conversation_id, id),
    FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
  ) ${rows}`,
  `CREATE INDEX messages_tree ON messages (conversation_id, parent_id, created_at, id, abandoned)`,

  // With the configuration and the agent for the run that will answer.
  `CREATE TABLE queued_messages (
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    position ${int} NOT NULL,
    parts ${json} NOT NULL,
    configuration ${json},
    agent_id ${text},
    created_at ${int} NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) ${keyed}`,

  // The message being written in each conversation; without a conversation the one of a new chat.
  `CREATE TABLE drafts (
    owner_id ${text} NOT NULL,
    conversation_id ${text} REFERENCES conversations (id) ON DELETE CASCADE,
    draft ${json} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE UNIQUE INDEX drafts_one ON drafts (owner_id, coalesce(conversation_id, ''))`,
  `CREATE INDEX drafts_of_conversation ON drafts (conversation_id) WHERE conversation_id IS NOT NULL`,

  // Documents that models create, one row per version.
  `CREATE TABLE artifacts (
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    version ${int} NOT NULL,
    owner_id ${text} NOT NULL,
    run_id ${text} NOT NULL,
    call_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    language ${text},
    title ${text} NOT NULL,
    content ${text} NOT NULL,
    size ${int} NOT NULL,
    created_at ${int} NOT NULL,
    PRIMARY KEY (conversation_id, id, version)
  ) ${rows}`,
  `CREATE UNIQUE INDEX artifacts_of_call ON artifacts (conversation_id, run_id, call_id)`,

  `CREATE TABLE translations (
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    from_language ${text},
    to_language ${text},
    translated ${text},
    updated_at ${int} NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
  ) ${keyed}`,

  // Content that many requests of a conversation share, by hash: instructions, tools.
  `CREATE TABLE request_preludes (
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    prelude ${json} NOT NULL,
    made_at ${int} NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) ${keyed}`,

  // What models remember for users. No foreign keys: a memory stays when its conversation is deleted.
  `CREATE TABLE memories (
    id ${text} PRIMARY KEY,
    owner_id ${text} NOT NULL,
    text ${text} NOT NULL,
    conversation_id ${text},
    run_id ${text},
    call_id ${text},
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE INDEX memories_of_owner ON memories (owner_id, created_at)`,

  `CREATE TABLE agents (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    title ${text} NOT NULL,
    configuration ${json} NOT NULL,
    profile ${json} NOT NULL,
    version ${small} NOT NULL,
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE INDEX agents_of_owner ON agents (owner_id, title, id)`,

  `CREATE TABLE groups (
    id ${text} PRIMARY KEY,
    owner_id ${text} NOT NULL,
    title ${text} NOT NULL,
    definition ${text} NOT NULL,
    version ${small} NOT NULL,
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE INDEX groups_of_owner ON groups (owner_id, title)`,
];
