import type { Owner, RunRecord, SubAgentView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readEnd } from '../read/read-end.ts';

const PAGE = 200;

/** The child runs of a run, in the order of their tasks. */
export async function listSubAgents(
  storage: Pick<SharedStorage, 'runs' | 'conversations'>,
  principal: Owner,
  parentRunId: string,
): Promise<SubAgentView[]> {
  const runs: RunRecord[] = [];
  for (let page: readonly RunRecord[] | null = null; page === null || page.length === PAGE;) {
    const before = page?.at(-1)?.id;
    page = await storage.runs.listRuns(principal, { parentRunId, limit: PAGE, ...defined({ before }) });
    runs.push(...page);
  }
  const views = await Promise.all(runs.map((run) => toView(storage, principal, run)));
  return views.flat().toSorted((a, b) => a.createdAt - b.createdAt || taskNumber(a.runId) - taskNumber(b.runId));
}

async function toView(
  storage: Pick<SharedStorage, 'runs' | 'conversations'>,
  principal: Owner,
  { id: runId, conversationId, agentId, status, createdAt, endedAt }: RunRecord,
): Promise<SubAgentView[]> {
  const conversation = await storage.conversations.get(principal, conversationId);
  // Deleted together with its parent.
  if (conversation?.parent == null) return [];
  const open =
    endedAt === null && (await storage.runs.listInterrupts(principal, { runId, status: 'open', limit: 100 }));
  const end = status === 'failed' ? await readEnd(storage.runs, principal, runId) : null;
  const { title, parent } = conversation;
  return [
    {
      runId,
      conversationId,
      callId: parent.callId,
      title,
      agentId,
      status,
      createdAt,
      endedAt,
      asks: open ? open.length : 0,
      ...defined({ error: end?.error }),
    },
  ];
}

/** The number of the task of a child run, which orders runs that were created in the same millisecond. */
export function taskNumber(runId: string): number {
  return Number(/\d+$/.exec(runId)?.[0] ?? 0);
}
