import type { CommandIo } from '../command-io.ts';
import { jsonLines, plainLine } from '../sanitize.ts';
import { saveOrPrint } from './save-or-print.ts';
import type { ServerClient } from './server-client.ts';

const write = ({ stdout }: CommandIo, line: string): void => void stdout.write(`${line}\n`);
const when = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

export type RunFilters = { limit: string; status?: string; conversation?: string; agent?: string; json?: boolean };

/** `toolyard runs list`, newest first. */
export async function listRuns(io: CommandIo, client: ServerClient, options: RunFilters): Promise<void> {
  const { limit, status, conversation, agent } = options;
  const { items } = await client.get('/api/runs', { query: { limit, status, conversation, agent } });
  if (options.json) return write(io, jsonLines(items));
  for (const run of items)
    write(io, `${run.id}  ${when(run.createdAt)}  ${run.status.padEnd(9)}  ${run.conversationId}`);
  if (items.length === 0) io.stderr.write('No runs.\n');
}

/** `toolyard runs show`. */
export async function showRun(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const run = await client.get('/api/runs/{id}', { params: { id } });
  if (options.json) return write(io, jsonLines(run));
  write(io, `run           ${run.id}`);
  write(io, `conversation  ${run.conversationId}`);
  write(io, `status        ${run.status}`);
  write(io, `events        ${run.lastSeq}`);
  write(io, `started       ${when(run.createdAt)}`);
  if (run.endedAt !== null) write(io, `ended         ${when(run.endedAt)}`);
  const { items } = await client.get('/api/runs/{id}/children', { params: { id } });
  if (items.length > 0) write(io, 'sub-agents');
  for (const { runId, status, title } of items) write(io, `  ${status.padEnd(9)}  ${plainLine(title)}  ${runId}`);
}

/** `toolyard runs cancel`. */
export async function cancelRun(io: CommandIo, client: ServerClient, id: string): Promise<void> {
  const run = await client.post('/api/runs/{id}/cancel', { params: { id } });
  write(io, `${run.id}: ${run.status === 'running' ? 'cancelling' : run.status}`);
}

/** `toolyard runs resume`: prints the run that continues, which may be a new one. */
export async function resumeRunCommand(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const resumed = await client.post('/api/runs/{id}/resume', { params: { id } });
  if (options.json) return write(io, jsonLines(resumed));
  const { run } = resumed;
  write(io, run.id === id ? `${id}: ${run.status}` : `${run.id}: ${run.status}, continues ${id}`);
}

/** `toolyard runs export`: to stdout, or to a new file. */
export async function exportRun(
  io: CommandIo,
  client: ServerClient,
  id: string,
  { format, output }: { format: 'json' | 'markdown'; output?: string },
): Promise<void> {
  await saveOrPrint(io, await client.open(`/api/runs/${encodeURIComponent(id)}/export?format=${format}`), output);
}
