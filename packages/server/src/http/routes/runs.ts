import type { Principal, RunStatus } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { runFrames } from '../transport/frames.ts';
import { limitedTo } from '../auth/limited-keys.ts';
import { toPage, readTimeCursor, timeCursor } from '../transport/list-cursor.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import { toRunView } from '../views/run-view.ts';
import type { RouteContext } from '../route-context.ts';
import { readRunTree } from '../../runs/read/read-run-tree.ts';
import { listSubAgents } from '../../runs/sub-agents/list-sub-agents.ts';
import { missingRoles } from '../views/missing-roles.ts';

const OVER: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled']);
const ACTIVE: readonly RunStatus[] = ['queued', 'running', 'parked', 'waiting_for_tab'];

/** Conversations that a search considers: the best matches. */
const SEARCHED = 200;

export function addRunRoutes({ route }: Router, deps: RouteContext): void {
  const { storage, runs, streams, webhooks, eventStreams } = deps;

  async function findConversations(principal: Principal, id?: string, words?: string): Promise<string[] | undefined> {
    if (words === undefined) return id === undefined ? undefined : [id];
    const found = await storage.conversations.search(principal, { query: words, limit: SEARCHED });
    return found.flatMap((conversation) => (id === undefined || conversation.id === id ? [conversation.id] : []));
  }

  route('GET /api/runs', async ({ principal, query }) => {
    const { conversation, agent, parent, status, asks, origin, q, from, until, after, limit } = query;
    const conversationIds = await findConversations(principal, conversation, q);
    const seen = after === undefined ? undefined : readTimeCursor(after);
    const found = await storage.runList.list(principal, {
      limit: limit + 1,
      ...defined({ conversationIds, agentId: agent, parentRunId: parent, origin, asks, from, until }),
      ...defined({ startedBy: limitedTo(principal) }),
      // A run that has ended asks nothing.
      ...defined({ statuses: status ?? (asks === true ? ACTIVE : undefined) }),
      ...defined({ before: seen && { createdAt: seen.at, id: seen.id } }),
    });
    return toPage(found, limit, ({ createdAt, id }) => timeCursor(createdAt, id));
  });

  route('GET /api/runs/{id}', async ({ principal, params: { id } }) => {
    const run = await storage.runs.getRun(principal, id);
    if (run === null) throw notFound('run', id);
    const waitsFor = await missingRoles(principal, run, deps);
    const webhook = (await webhooks.ofRun(principal, id)) ?? undefined;
    return { ...toRunView(run), ...defined({ waitsFor, webhook }) };
  });

  route('GET /api/runs/{id}/children', async ({ principal, params: { id } }) => {
    if ((await storage.runs.getRun(principal, id)) === null) throw notFound('run', id);
    return { items: await listSubAgents(storage, principal, id) };
  });

  route('GET /api/runs/{id}/tree', async ({ principal, params: { id } }) => {
    const tree = await readRunTree(storage, principal, id);
    if (tree === null) throw notFound('run', id);
    return tree;
  });

  route('POST /api/runs/{id}/cancel', async ({ principal, params: { id } }) =>
    toRunView(await runs.cancel(principal, id)),
  );

  route('POST /api/runs/{id}/skip-servers', async ({ principal, params: { id } }) =>
    toRunView(await runs.skipServers(principal, id)),
  );

  route('POST /api/runs/{id}/resume', async ({ principal, params: { id } }) => ({
    run: toRunView(await runs.resume(principal, id)),
    resumes: id,
  }));

  route('GET /api/runs/{id}/events', async ({ c, principal, params: { id }, query }) => {
    const run = await storage.runs.getRun(principal, id);
    if (run === null) throw notFound('run', id);
    const after = lastEventId(c.req.header('last-event-id')) ?? query.after;
    // An EventSource reconnects when a stream ends; 204 stops it.
    if (OVER.has(run.status) && after >= run.lastSeq) return new Response(null, { status: 204 });
    return eventStreams.answer(c, principal, (signal) => streams.readRun(principal, id, after, signal), runFrames);
  });
}

/** The Last-Event-ID of an EventSource; if it is not a seq, it belongs to another stream and is ignored. */
function lastEventId(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
