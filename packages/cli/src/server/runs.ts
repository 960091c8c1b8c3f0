import type { RunOrigin, RunSummary, Spent } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { columns } from '../models/columns.ts';
import { jsonLines, plainLine } from '../sanitize.ts';
import { saveOrPrint } from './save-or-print.ts';
import type { ServerClient } from './server-client.ts';

const write = ({ stdout }: CommandIo, line: string): void => void stdout.write(`${line}\n`);
const when = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

export type RunFilters = {
  limit: string;
  status?: string;
  conversation?: string;
  agent?: string;
  origin?: RunOrigin;
  waiting?: boolean;
  search?: string;
  json?: boolean;
};

/** `toolyard runs list`, newest first. */
export async function listRuns(io: CommandIo, client: ServerClient, options: RunFilters): Promise<void> {
  const { limit, status, conversation, agent, origin, waiting, search } = options;
  const filters = { limit, status, conversation, agent, origin, asks: waiting ? '1' : undefined, q: search };
  const { items } = await client.get('/api/runs', { query: filters });
  if (options.json) return write(io, jsonLines(items));
  const rows = items.map((run) => [
    run.id,
    when(run.createdAt),
    statusOf(run),
    run.origin,
    run.conversationId,
    plainLine(run.title),
  ]);
  for (const line of columns(rows)) write(io, line);
  if (items.length === 0) io.stderr.write('No runs.\n');
}

function statusOf({ status, asks }: Pick<RunSummary, 'status' | 'asks'>): string {
  return asks > 0 ? `${status}, waits for you` : status;
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
  const { items, spent } = await client.get('/api/runs/{id}/tree', { params: { id } });
  const own = items.find((each) => each.id === id);
  if (own) write(io, `usage         ${usageOf(own.spent)}`);
  if (items.length < 2) return;
  write(io, `tree          ${items.length} runs, ${usageOf(spent)}`);
  for (const line of treeLines(items, null, id)) write(io, line);
}

function usageOf({ tokens, dollars, unpriced }: Spent): string {
  return `${tokens} tokens, ${unpriced > 0 ? 'at least ' : ''}$${dollars.toFixed(4)}`;
}

/** A line per run, each indented below its parent; `>` marks the run that is shown. */
function treeLines(items: readonly RunSummary[], parent: string | null, shown: string, depth = 1): string[] {
  return items
    .filter(({ parentRunId }) => parentRunId === parent)
    .flatMap((run) => {
      const mark = run.id === shown ? '>' : ' ';
      const line = `${mark} ${'  '.repeat(depth - 1)}${statusOf(run).padEnd(9)}  ${plainLine(run.title)}  ${run.id}`;
      return [line, ...treeLines(items, run.id, shown, depth + 1)];
    });
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
