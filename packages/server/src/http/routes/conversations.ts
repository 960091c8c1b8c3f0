import type { ConversationSummary, CreateConversation, Page, Principal } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { findConversation, toSummary, toView } from '../views/conversation-view.ts';
import { toCursor, toPage, readCursor } from '../transport/list-cursor.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addConversationRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, runs, hub, clock, ids } = deps;
  const changed = ({ ownerId }: Principal, id: string): void => hub.changed(ownerId, 'conversations', id);

  route('GET /api/conversations', ({ principal, query }) =>
    query.q === undefined || query.q.trim() === ''
      ? listed(principal, query)
      : searched(principal, { query: query.q, limit: query.limit }),
  );

  route('POST /api/conversations', async ({ principal, body }) => {
    const known = body.id === undefined ? null : await storage.conversations.get(principal, body.id);
    if (known !== null) return toView(deps, principal, known);
    if (body.agentId !== undefined) await checkAgent(principal, body.agentId);
    if (body.groupId !== undefined) await checkGroup(principal, body);
    const conversation = await storage.conversations.create(principal, {
      id: body.id ?? ids.next(),
      title: body.title ?? '',
      ...defined({
        agentId: body.agentId,
        groupId: body.groupId,
        configuration: body.configuration,
        temporary: body.temporary,
      }),
      at: clock.now(),
    });
    changed(principal, conversation.id);
    return toView(deps, principal, conversation);
  });

  route('GET /api/conversations/{id}', async ({ principal, params }) =>
    toView(deps, principal, await findConversation(deps, principal, params.id)),
  );

  route('PATCH /api/conversations/{id}', async ({ principal, params: { id }, body: { leafId, ...change } }) => {
    const { groupId } = await findConversation(deps, principal, id);
    if (change.agentId != null) {
      if (groupId !== null) throw new ToolyardError(HAS_GROUP);
      await checkAgent(principal, change.agentId);
    }
    if (leafId !== undefined) await showBranch(principal, id, leafId);
    const conversation = await storage.conversations.update(principal, id, change);
    if (conversation === null) throw notFound('conversation', id);
    changed(principal, id);
    return toView(deps, principal, conversation);
  });

  route('DELETE /api/conversations/{id}', async ({ principal, params: { id } }) => {
    const { activeRun, parent } = await findConversation(deps, principal, id);
    if (parent !== null) throw new ToolyardError(OF_SUB_AGENT);
    if (activeRun !== null) await runs.cancel(principal, activeRun.id);
    if (!(await storage.conversations.remove(principal, id, clock.now()))) throw notFound('conversation', id);
    changed(principal, id);
  });

  route('POST /api/conversations/{id}/restore', async ({ principal, params: { id } }) => {
    const restored = await storage.conversations.restore(principal, id);
    // Also finds a conversation that was not deleted, so that the request is idempotent.
    const conversation = await findConversation(deps, principal, id);
    if (restored) changed(principal, id);
    return toView(deps, principal, conversation);
  });

  async function listed(
    principal: Principal,
    { limit, after, deleted }: { limit: number; after?: string; deleted: boolean },
  ): Promise<Page<ConversationSummary>> {
    const found = await storage.conversations.list(principal, {
      limit: limit + 1,
      deleted,
      ...(after === undefined ? {} : { after: readCursor(after) }),
    });
    const { items, ...page } = toPage(found, limit, toCursor);
    return { items: items.map((each) => toSummary(each)), ...page };
  }

  async function searched(
    principal: Principal,
    query: { query: string; limit: number },
  ): Promise<Page<ConversationSummary>> {
    const found = await storage.conversations.search(principal, query);
    return { items: found.map((conversation) => toSummary(conversation, conversation)) };
  }

  async function checkAgent(principal: Principal, id: string): Promise<void> {
    if ((await storage.agents.get(principal, id)) === null) throw notFound('agent', id);
  }

  async function checkGroup(principal: Principal, { groupId, agentId }: CreateConversation): Promise<void> {
    if (groupId === undefined) return;
    if (agentId !== undefined) throw new ToolyardError(HAS_GROUP);
    if ((await storage.groups.get(principal, groupId)) === null) throw notFound('group', groupId);
  }

  async function showBranch(principal: Principal, id: string, through: string): Promise<void> {
    const leaf = await storage.messages.newestLeafBelow(principal, id, through);
    if (leaf === null) throw notFound('message', through);
    await storage.conversations.setLeaf(principal, id, leaf);
  }
}

const HAS_GROUP = {
  code: 'bad_request',
  message: say`A conversation has either an agent or a group.`,
} as const;

const OF_SUB_AGENT = {
  code: 'conflict',
  message: 'This conversation belongs to a sub-agent and cannot be deleted alone.',
  hint: 'Delete the conversation that started it.',
} as const;
