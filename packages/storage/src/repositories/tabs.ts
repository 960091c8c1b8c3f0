import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type {
  JsonObject,
  Owner,
  TabInputRequest,
  TabInputAnswer,
  TabServer,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { affectsRows, aliased, selectList } from '../engine/columns.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson, scrubText } from '../text.ts';

/** The tools that one tab provides to the runs of one conversation. */
export type TabOffer = { tabId: string; conversationId: string; servers: TabServer[]; seenUntil: number };

/**
 * State of a call to a tab: `held` until its run has stored that it may be claimed, `open` for any tab, `claimed` by
 * one, `done` with a result. A `withdrawn` call is no longer needed: a claim of it is void. A call that a run in a tab
 * makes with a tool of the server is `executing` in a process of the server, then `done`.
 */
export type StoredTabCall = {
  callId: string;
  runId: string;
  conversationId: string;
  tool: ToolReference;
  arguments: JsonObject;
  definition: string;
  status: Schema['tab_calls']['status'];
  tabId: string | null;
  /** Incremented whenever the call is put again: results with an older fence are ignored. */
  fence: number;
  result: ToolResult | null;
  updatedAt: number;
};

type PutTabCall = Pick<StoredTabCall, 'callId' | 'runId' | 'conversationId' | 'tool' | 'arguments' | 'definition'> & {
  at: number;
};

type CallKey = { runId: string; callId: string };

type TabInputRequestRow = { id: string; question: TabInputRequest; answer: TabInputAnswer | null };

/** Tabs that provide tools to runs, and the calls to them. Each change of a call is compare-and-set. */
export type TabRepository = {
  /** Replaces the tab's earlier offer. False if the owner has no such conversation. */
  offer(principal: Owner, offer: TabOffer & { at: number }): Promise<boolean>;
  /** Extends the life of the tab at least to that time. False if it has no offer. */
  renew(principal: Owner, tabId: string, seenUntil: number): Promise<boolean>;
  /** Shortens the life of the tab to that time. */
  leave(principal: Owner, tabId: string, seenUntil: number): Promise<void>;
  /** Offers of tabs seen since then; the latest offer first. */
  offers(principal: Owner, query: { conversationId: string; seenSince: number }): Promise<TabOffer[]>;
  listOffers(principal: Owner, tabId: string): Promise<TabOffer[]>;

  /** Creates or resets the call to `held`, unless it is done: then returns it unchanged. */
  putCall(principal: Owner, call: PutTabCall): Promise<StoredTabCall>;
  getCall(principal: Owner, key: CallKey): Promise<StoredTabCall | null>;
  /** Open and claimed calls. */
  openCalls(principal: Owner): Promise<StoredTabCall[]>;
  openCall(principal: Owner, key: CallKey, at: number): Promise<boolean>;
  /** Null if it is not open. */
  claim(principal: Owner, key: CallKey, of: { tabId: string; at: number }): Promise<StoredTabCall | null>;
  /** `tabId` null: a process of the server has made it. */
  finish(
    principal: Owner,
    key: CallKey,
    of: { tabId: string | null; fence: number; result: ToolResult; at: number },
  ): Promise<boolean>;
  /** False if it is no longer in this state. */
  withdraw(principal: Owner, key: CallKey, from: 'held' | 'open' | 'claimed', at: number): Promise<boolean>;

  /** Creates the call as `executing` in a process of the server. Null if it exists: each call is made once. */
  startCall(principal: Owner, call: PutTabCall): Promise<StoredTabCall | null>;
  /**
   * Heartbeat of the process that makes it. False if the run has ended or is being cancelled, or the call is no longer
   * executing under this fence.
   */
  renewCall(principal: Owner, key: CallKey, fence: number, at: number): Promise<boolean>;
  /** Another process makes an executing call again; null if it is no longer executing under this fence. */
  restartCall(principal: Owner, key: CallKey, fence: number, at: number): Promise<StoredTabCall | null>;

  /** Keeps an existing request unchanged. */
  /** False if the call has so many unanswered requests already; a repeated request is no further one. */
  ask(principal: Owner, key: CallKey, request: Omit<TabInputRequestRow, 'answer'>, limit: number): Promise<boolean>;
  answer(principal: Owner, key: CallKey, id: string, answer: TabInputAnswer): Promise<void>;
  inputRequests(principal: Owner, key: CallKey): Promise<TabInputRequestRow[]>;

  /** Removes offers of tabs not seen since then. */
  sweep(seenBefore: number): Promise<void>;
};

const CALL_COLUMNS = aliased(
  'call_id, run_id, conversation_id, server_id, tool_name, arguments, definition, status, tab_id, fence, result, updated_at',
);

export function createTabRepository(engine: StorageEngine): TabRepository {
  const { db } = engine;
  // Prepared, because a run reads offers before every call.
  const selectOffers = engine.prepare<Omit<TabOffer, 'servers'> & { servers: string }>(`
    SELECT ${selectList('tab_id, conversation_id, servers, seen_until')} FROM tab_offers
    WHERE owner_id = ? AND conversation_id = ? AND seen_until >= ? ORDER BY offered_at DESC, tab_id`);
  const call = ({ ownerId }: Owner, { runId, callId }: CallKey) =>
    db
      .updateTable('tab_calls')
      .where('owner_id', '=', ownerId)
      .where('run_id', '=', runId)
      .where('call_id', '=', callId);

  return {
    async offer({ ownerId }, { tabId, conversationId, servers, seenUntil, at }) {
      const found = await db
        .selectFrom('conversations')
        .select('id')
        .where('id', '=', conversationId)
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (!found) return false;
      const values = { servers: encodeJson(servers), seen_until: seenUntil, offered_at: at };
      await db
        .insertInto('tab_offers')
        .values({ owner_id: ownerId, conversation_id: conversationId, tab_id: scrubText(tabId), ...values })
        .onConflict((conflict) =>
          conflict
            .columns(['conversation_id', 'tab_id'])
            .doUpdateSet(values)
            .where('tab_offers.owner_id', '=', ownerId),
        )
        .execute();
      return true;
    },
    async renew({ ownerId }, tabId, seenUntil) {
      return affectsRows(
        db
          .updateTable('tab_offers')
          .set({ seen_until: seenUntil })
          .where('owner_id', '=', ownerId)
          .where('tab_id', '=', tabId),
      );
    },
    async leave({ ownerId }, tabId, seenUntil) {
      await db
        .updateTable('tab_offers')
        .set({ seen_until: seenUntil })
        .where('owner_id', '=', ownerId)
        .where('tab_id', '=', tabId)
        .where('seen_until', '>', seenUntil)
        .execute();
    },
    async offers({ ownerId }, { conversationId, seenSince }) {
      const rows = await engine.perform(statements(() => selectOffers.all(ownerId, conversationId, seenSince)));
      return rows.map((row) => ({ ...row, servers: decodeJson(row.servers) as TabServer[] }));
    },
    async listOffers({ ownerId }, tabId) {
      return db
        .selectFrom('tab_offers')
        .select(aliased('tab_id, conversation_id, servers, seen_until'))
        .where('owner_id', '=', ownerId)
        .where('tab_id', '=', tabId)
        .execute();
    },

    async putCall(principal, call) {
      const { ownerId } = principal;
      const { runId, callId } = call;
      const put = toColumns(call, 'held');
      const row = await db
        .insertInto('tab_calls')
        .values({ ...newCall(principal, call), ...put })
        .onConflict((conflict) =>
          conflict
            .columns(['run_id', 'call_id'])
            .doUpdateSet((eb) => ({ ...put, fence: eb('tab_calls.fence', '+', 1) }))
            .where('tab_calls.owner_id', '=', ownerId)
            .where('tab_calls.status', '<>', 'done'),
        )
        .returning(CALL_COLUMNS)
        .executeTakeFirst();
      return toCall(row ?? (await selectCall(db, { ownerId }, { runId, callId }).executeTakeFirstOrThrow()));
    },
    async getCall(principal, key) {
      const row = await selectCall(db, principal, key).executeTakeFirst();
      return row ? toCall(row) : null;
    },
    async openCalls({ ownerId }) {
      const rows = await db
        .selectFrom('tab_calls')
        .select(CALL_COLUMNS)
        .where('owner_id', '=', ownerId)
        .where('status', 'in', ['open', 'claimed'])
        .orderBy('updated_at')
        .execute();
      return rows.map(toCall);
    },
    async openCall(principal, key, at) {
      return affectsRows(call(principal, key).set({ status: 'open', updated_at: at }).where('status', '=', 'held'));
    },
    async claim(principal, key, { tabId, at }) {
      const row = await call(principal, key)
        .set({ status: 'claimed', tab_id: scrubText(tabId), updated_at: at })
        .where('status', '=', 'open')
        .returning(CALL_COLUMNS)
        .executeTakeFirst();
      return row ? toCall(row) : null;
    },
    async finish(principal, key, { tabId, fence, result, at }) {
      return affectsRows(
        call(principal, key)
          .set({ status: 'done', result: encodeJson(result), updated_at: at })
          .where('status', '=', tabId === null ? 'executing' : 'claimed')
          .where('tab_id', tabId === null ? 'is' : '=', tabId)
          .where('fence', '=', fence),
      );
    },
    async withdraw(principal, key, from, at) {
      return affectsRows(call(principal, key).set({ status: 'withdrawn', updated_at: at }).where('status', '=', from));
    },

    async startCall(principal, call) {
      const row = await db
        .insertInto('tab_calls')
        .values({ ...newCall(principal, call), ...toColumns(call, 'executing') })
        .onConflict((conflict) => conflict.columns(['run_id', 'call_id']).doNothing())
        .returning(CALL_COLUMNS)
        .executeTakeFirst();
      return row ? toCall(row) : null;
    },
    async renewCall(principal, key, fence, at) {
      return affectsRows(
        call(principal, key)
          .set({ updated_at: at })
          .where('status', '=', 'executing')
          .where('fence', '=', fence)
          .where(sql<boolean>`EXISTS (SELECT 1 FROM runs WHERE id = ${key.runId} AND ended_at IS NULL)`)
          // Also one that the run has read: it must end, and not continue.
          .where(sql<boolean>`NOT EXISTS (
          SELECT 1 FROM run_inbox WHERE run_id = ${key.runId} AND kind IN ('cancel', 'message'))`),
      );
    },
    async restartCall(principal, key, fence, at) {
      const row = await call(principal, key)
        .set((eb) => ({ fence: eb('fence', '+', 1), updated_at: at }))
        .where('status', '=', 'executing')
        .where('fence', '=', fence)
        .returning(CALL_COLUMNS)
        .executeTakeFirst();
      return row ? toCall(row) : null;
    },

    async ask({ ownerId }, { runId, callId }, { id, question }, limit) {
      const ownId = scrubText(id);
      const requests = db.selectFrom('tab_questions').where('run_id', '=', runId).where('call_id', '=', callId);
      const open = requests.where('answer', 'is', null).select(({ fn }) => fn.countAll<number>().as('open'));
      // In one statement, so that concurrent requests do not exceed the limit together.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('tab_questions')
        .columns(['owner_id', 'run_id', 'call_id', 'id', 'question'])
        .expression(
          db
            .selectNoFrom((of) => [
              of.val(ownerId).as('owner_id'),
              of.val(runId).as('run_id'),
              of.val(callId).as('call_id'),
              of.val(ownId).as('id'),
              of.val(encodeJson(question)).as('question'),
            ])
            .where(open, '<', limit),
        )
        .onConflict((conflict) => conflict.columns(['run_id', 'call_id', 'id']).doNothing())
        .executeTakeFirstOrThrow();
      if (Number(numInsertedOrUpdatedRows) > 0) return true;
      return (await requests.where('id', '=', ownId).select('id').executeTakeFirst()) !== undefined;
    },
    async answer({ ownerId }, { runId, callId }, id, answer) {
      await db
        .updateTable('tab_questions')
        .set({ answer: encodeJson(answer) })
        .where('owner_id', '=', ownerId)
        .where('run_id', '=', runId)
        .where('call_id', '=', callId)
        .where('id', '=', id)
        .where('answer', 'is', null)
        .execute();
    },
    async inputRequests({ ownerId }, { runId, callId }) {
      return await db
        .selectFrom('tab_questions')
        .select(['id', 'question', 'answer'])
        .where('owner_id', '=', ownerId)
        .where('run_id', '=', runId)
        .where('call_id', '=', callId)
        .orderBy('id')
        .execute();
    },

    async sweep(seenBefore) {
      await db.deleteFrom('tab_offers').where('seen_until', '<', seenBefore).execute();
    },
  };
}

function newCall({ ownerId }: Owner, { callId, runId, conversationId }: PutTabCall) {
  return { owner_id: ownerId, call_id: callId, run_id: runId, conversation_id: conversationId, fence: 1, result: null };
}

function toColumns<Status extends StoredTabCall['status']>(
  { tool, arguments: args, definition, at }: PutTabCall,
  status: Status,
) {
  return {
    server_id: scrubText(tool.serverId),
    tool_name: scrubText(tool.name),
    arguments: encodeJson(args),
    definition: scrubText(definition),
    status,
    tab_id: null,
    updated_at: at,
  };
}

function selectCall(db: Kysely<Schema>, { ownerId }: Owner, { runId, callId }: CallKey) {
  return db
    .selectFrom('tab_calls')
    .select(CALL_COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('run_id', '=', runId)
    .where('call_id', '=', callId);
}

type CallRow = Omit<StoredTabCall, 'tool'> & { serverId: string; toolName: string };

function toCall({ serverId, toolName, ...row }: CallRow): StoredTabCall {
  return { ...row, tool: { serverId, name: toolName, origin: 'tab' } };
}
