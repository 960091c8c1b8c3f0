import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { AssistantMessage, Message, MessagePage, Owner } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';

/** The end of a page of messages; see `MessageRepository.page`. */
export type PageQuery = {
  /** The end of the branch; default: the current leaf. Ignored with `before`. */
  leafId?: string;
  /** The page ends before this message, towards the root. */
  before?: string;
  limit: number;
};

/** Reads one page of a branch with its sibling information. Takes one step up the tree per message. */
export async function readPage(
  db: Kysely<Schema>,
  principal: Owner,
  conversationId: string,
  query: PageQuery,
): Promise<MessagePage> {
  const messages = await readBranchEnd(db, principal, conversationId, query);
  const [first] = messages;
  if (!first) return { messages: [], alternatives: {}, abandoned: [], earlier: false };
  const parents = messages.map(({ parentId }) => parentId);
  // An abandoned answer may be below the leaf until its successor is stored.
  const leaf = query.before === undefined ? messages.at(-1)?.id : undefined;
  const children = await readChildren(db, conversationId, leaf === undefined ? parents : [...parents, leaf]);
  return {
    messages,
    alternatives: listAlternatives(messages, children),
    abandoned: await readAbandoned(db, conversationId, messages, children),
    earlier: first.parentId !== null,
  };
}

async function readBranchEnd(
  db: Kysely<Schema>,
  { ownerId }: Owner,
  conversationId: string,
  { leafId, before, limit }: PageQuery,
): Promise<Message[]> {
  const end =
    before === undefined
      ? sql`coalesce(${leafId ?? null}, c.leaf_id)`
      : sql`(SELECT parent_id FROM messages WHERE conversation_id = c.id AND id = ${before})`;
  const { rows } = await sql<{ message: Message }>`
    WITH RECURSIVE branch (id, parent_id, message, distance) AS (
      SELECT m.id, m.parent_id, m.message, 1 FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
      WHERE c.id = ${conversationId} AND c.owner_id = ${ownerId} AND m.id = ${end}
      UNION ALL
      SELECT p.id, p.parent_id, p.message, b.distance + 1 FROM branch AS b
      JOIN messages AS p ON p.conversation_id = ${conversationId} AND p.id = b.parent_id
      WHERE b.distance < ${limit}
    )
    SELECT message FROM branch ORDER BY distance DESC LIMIT ${limit}`.execute(db);
  return rows.map(({ message }) => message);
}

type Child = { id: string; parentId: string | null; abandoned: number };

/** All messages below any of these, oldest first. */
async function readChildren(
  db: Kysely<Schema>,
  conversationId: string,
  parents: readonly (string | null)[],
): Promise<Child[]> {
  const known = parents.filter((id) => id !== null);
  return db
    .selectFrom('messages')
    .select(['id', 'parent_id as parentId', 'abandoned'])
    .where('conversation_id', '=', conversationId)
    .where((eb) =>
      eb.or([
        ...(known.length > 0 ? [eb('parent_id', 'in', known)] : []),
        ...(known.length < parents.length ? [eb('parent_id', 'is', null)] : []),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

function listAlternatives(messages: readonly Message[], children: readonly Child[]): Record<string, string[]> {
  const byParent = Map.groupBy(
    children.filter(({ abandoned }) => abandoned === 0),
    ({ parentId }) => parentId,
  );
  const alternatives: [string, string[]][] = [];
  for (const { id, parentId } of messages) {
    const ids = byParent.get(parentId)?.map((sibling) => sibling.id) ?? [];
    if (ids.length > 1 && ids.includes(id)) alternatives.push([id, ids]);
  }
  return Object.fromEntries(alternatives);
}

async function readAbandoned(
  db: Kysely<Schema>,
  conversationId: string,
  messages: readonly Message[],
  children: readonly Child[],
): Promise<AssistantMessage[]> {
  const shown = new Set(messages.map(({ id }) => id));
  const ids = children.filter(({ id, abandoned }) => abandoned === 1 && !shown.has(id)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('messages')
    .select('message')
    .where('conversation_id', '=', conversationId)
    .where('id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ message }) => message).filter((message) => message.role === 'assistant');
}
