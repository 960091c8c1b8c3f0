import type { Page, RunRecord } from '@toolyard/protocol';
import type { ServerClient } from './server-client.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const when = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** `toolyard runs list`: the newest first. */
export async function listRuns(client: ServerClient, options: { limit: string; json?: boolean }): Promise<void> {
  const { items } = await client.get<Page<RunRecord>>(`/api/runs?limit=${encodeURIComponent(options.limit)}`);
  if (options.json) return write(JSON.stringify(items, null, 2));
  for (const run of items) write(`${run.id}  ${when(run.createdAt)}  ${run.status.padEnd(9)}  ${run.conversationId}`);
  if (items.length === 0) process.stderr.write('There are no runs.\n');
}

/** `toolyard runs show`. */
export async function showRun(client: ServerClient, id: string, options: { json?: boolean }): Promise<void> {
  const run = await client.get<RunRecord>(`/api/runs/${encodeURIComponent(id)}`);
  if (options.json) return write(JSON.stringify(run, null, 2));
  write(`run           ${run.id}`);
  write(`conversation  ${run.conversationId}`);
  write(`status        ${run.status}`);
  write(`events        ${run.lastSeq}`);
  write(`started       ${when(run.createdAt)}`);
  if (run.endedAt !== null) write(`ended         ${when(run.endedAt)}`);
}

/** `toolyard runs cancel`: what was said is kept. */
export async function cancelRun(client: ServerClient, id: string): Promise<void> {
  const run = await client.post<RunRecord>(`/api/runs/${encodeURIComponent(id)}/cancel`);
  write(`${run.id}: ${run.status === 'running' ? 'stopping' : run.status}`);
}
