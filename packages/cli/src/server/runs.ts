import type { RunOrigin, RunSummary, Spent } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printJson, printLine, printList } from '../output.ts';
import { plainLine } from '../sanitize.ts';
import { toSecond } from '../utc-time.ts';
import { saveOrPrint } from './save-or-print.ts';
import type { ServerClient } from './server-client.ts';

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
  printList(io, items, {
    json: options.json,
    none: 'No runs.',
    row: (run) => [
      run.id,
      toSecond(run.createdAt),
      formatStatus(run),
      run.origin,
      run.conversationId,
      plainLine(run.title),
    ],
  });
}

function formatStatus({ status, asks }: Pick<RunSummary, 'status' | 'asks'>): string {
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
  if (options.json) return printJson(io, run);
  printLine(io, `run           ${run.id}`);
  printLine(io, `conversation  ${run.conversationId}`);
  printLine(io, `status        ${run.status}`);
  printLine(io, `events        ${run.lastSeq}`);
  printLine(io, `started       ${toSecond(run.createdAt)}`);
  if (run.endedAt !== null) printLine(io, `ended         ${toSecond(run.endedAt)}`);
  const { items, spent } = await client.get('/api/runs/{id}/tree', { params: { id } });
  const own = items.find((each) => each.id === id);
  if (own) printLine(io, `usage         ${formatUsage(own.spent)}`);
  if (items.length < 2) return;
  printLine(io, `tree          ${items.length} runs, ${formatUsage(spent)}`);
  for (const line of treeLines(items, null, id)) printLine(io, line);
}

function formatUsage({ tokens, dollars, unpriced }: Spent): string {
  return `${tokens} tokens, ${unpriced > 0 ? 'at least ' : ''}$${dollars.toFixed(4)}`;
}

/** A line per run, each indented below its parent; `>` marks the run that is shown. */
function treeLines(items: readonly RunSummary[], parent: string | null, shown: string, depth = 1): string[] {
  return items
    .filter(({ parentRunId }) => parentRunId === parent)
    .flatMap((run) => {
      const mark = run.id === shown ? '>' : ' ';
      const line = `${mark} ${'  '.repeat(depth - 1)}${formatStatus(run).padEnd(9)}  ${plainLine(run.title)}  ${run.id}`;
      return [line, ...treeLines(items, run.id, shown, depth + 1)];
    });
}

/** `toolyard runs cancel`. */
export async function cancelRun(io: CommandIo, client: ServerClient, id: string): Promise<void> {
  const run = await client.post('/api/runs/{id}/cancel', { params: { id } });
  printLine(io, `${run.id}: ${run.status === 'running' ? 'cancelling' : run.status}`);
}

/** `toolyard runs resume`: prints the run that continues, which may be a new one. */
export async function resumeRunCommand(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const resumed = await client.post('/api/runs/{id}/resume', { params: { id } });
  if (options.json) return printJson(io, resumed);
  const { run } = resumed;
  printLine(io, run.id === id ? `${id}: ${run.status}` : `${run.id}: ${run.status}, continues ${id}`);
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
