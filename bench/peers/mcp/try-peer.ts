import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpHost } from '../../../packages/mcp-host/src/index.ts';
import { createNodeTransports, readMcpConfig } from '../../../packages/mcp-host/src/node/index.ts';
import type { ToolResult } from '../../../packages/protocol/src/index.ts';
import { systemClock } from '../../../packages/protocol/src/index.ts';
import { say } from '../../support/command.ts';
import { cachedFolder, SANDBOXES } from '../folders.ts';
import type { McpRow } from '../results.ts';
import type { Peer, Stage } from './peer.ts';
import { MARKER, processesLeft } from './processes-left.ts';

/** Parent of the private home folders of peers, each of which can be emptied separately. */
const stateFolderOf = (peer: Peer): string => join(SANDBOXES, peer.id);
const CALL_MS = 120_000;
/** Maximum time until killed processes have exited. */
const GONE_MS = 5_000;

type Tried = Pick<McpRow, 'tools' | 'resources' | 'prompts' | 'sandboxed' | 'call' | 'processesLeft' | 'blocked'> & {
  ms: number | null;
};

/** Connects twice, calls a tool, and closes. Returns the row of the report. */
export async function tryPeer(
  peer: Peer,
  stage: Stage,
  { fresh, before }: { fresh: boolean; before: McpRow | undefined },
): Promise<McpRow> {
  const { settings, configPath } = writeEntry(peer, stage);
  const missing = peer.missing?.(stage) ?? null;
  if (missing !== null) return notTried(peer, missing);
  peer.prepare?.(stage);
  // The first connection is measured only if it downloads everything.
  const known = before?.package === peer.package && !fresh ? before.firstMs : null;
  if (known === null) rmSync(stateFolderOf(peer), { recursive: true, force: true });
  const first = known === null ? await connectAndCall(peer, stage, configPath) : null;
  const again = first?.ms === null ? null : await connectAndCall(peer, stage, configPath);
  const tried = again ?? first;
  if (tried === null) return notTried(peer, 'it did not connect');
  const { ms: _ms, ...rest } = tried;
  return { ...notTried(peer, ''), ...rest, settings, firstMs: first?.ms ?? known, againMs: again?.ms ?? null };
}

function writeEntry(peer: Peer, stage: Stage): { settings: string; configPath: string } {
  const entry = peer.entry(stage);
  const configPath = join(cachedFolder('entries', peer.id), 'mcp.json');
  const env = { ...entry.env, [MARKER]: '${env:TOOLYARD_PEER_MARKER}' };
  writeFileSync(configPath, JSON.stringify({ mcpServers: { [peer.id]: { ...entry, env } } }, null, 2));
  return { settings: settingsOf(entry.sandbox), configPath };
}

/** The settings of the entry, without paths of this machine. */
function settingsOf(sandbox: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(sandbox).map(([key, value]) =>
    key === 'read' || key === 'write' ? `"${key}": [its folder]` : `"${key}": ${JSON.stringify(value)}`,
  );
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}

async function connectAndCall(peer: Peer, stage: Stage, configPath: string): Promise<Tried> {
  const marker = `${peer.id}-${randomUUID()}`;
  const [read] = readMcpConfig(configPath, { ...process.env, TOOLYARD_PEER_MARKER: marker });
  if (read === undefined) throw new Error(`no entry for ${peer.id}`);
  if ('fault' in read) throw read.fault;
  const host = new McpHost({
    servers: [read.config],
    createTransport: createNodeTransports({
      fetch: (input, init) => fetch(input, init),
      sandbox: { stateFolder: stateFolderOf(peer) },
    }),
    clock: systemClock,
    clientInfo: { name: 'toolyard-peers', version: '1.0.0' },
    maxReconnects: 0,
  });
  let tried: Omit<Tried, 'processesLeft'>;
  try {
    tried = await useHost(host, peer, stage);
  } finally {
    await host.close();
  }
  return { ...tried, processesLeft: await countLeft(marker) };
}

async function useHost(host: McpHost, peer: Peer, stage: Stage): Promise<Omit<Tried, 'processesLeft'>> {
  const begun = performance.now();
  const progress = setInterval(() => {
    const [health] = host.health();
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    say(`    ${peer.id}: ${health?.state ?? ''} ${seconds} s ${health?.launch?.stderr.at(-1) ?? ''}`);
  }, 15_000);
  await host.connectAll().finally(() => clearInterval(progress));
  const ms = performance.now() - begun;
  const [health] = host.health();
  if (health?.state !== 'ready') {
    const { message = 'unknown reason', hint = '' } = health?.error ?? {};
    return { ...notConnected(peer, oneLine(`${message} ${hint}`)), ms: null };
  }
  const call = await callTool(host, peer, stage);
  // Listed without a wait: by now they are there.
  const { tools, resources, prompts } = host.offered(peer.id);
  const isolation = host.health()[0]?.isolation;
  return {
    ms: Math.round(ms),
    tools: tools.length,
    resources: resources.length,
    prompts: prompts.length,
    sandboxed: isolation?.kind === 'sandboxed' ? 'yes' : `no: ${isolation?.kind ?? 'not started'}`,
    call,
    blocked: isolation?.kind === 'sandboxed' ? isolation.blocked.map(({ target }) => target) : [],
  };
}

async function callTool(host: McpHost, { id, call }: Peer, stage: Stage): Promise<McpRow['call']> {
  const { tool, expects, needs } = call;
  const result = await host
    .callTool({ serverId: id, name: tool }, call.arguments(stage), { timeoutMs: CALL_MS })
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const text = result instanceof Error ? result.message : textOf(result);
  const succeeded = !(result instanceof Error) && !result.isError && expects.test(text);
  if (succeeded) return { tool, outcome: 'passed', detail: '' };
  if (needs !== undefined) return { tool, outcome: 'not possible', detail: `needs ${needs}` };
  return { tool, outcome: 'failed', detail: oneLine(text) };
}

function textOf({ content, structured, error }: ToolResult): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part).slice(0, 100_000)));
  return [...texts, structured === undefined ? '' : JSON.stringify(structured), error?.message ?? ''].join('\n');
}

async function countLeft(marker: string): Promise<number | null> {
  for (const end = performance.now() + GONE_MS; ; await sleep(50)) {
    const left = processesLeft(marker);
    if (left === null || left.length === 0 || performance.now() > end) return left?.length ?? null;
  }
}

/** The row of a server that did not start. */
export function notTried({ id, package: name, call }: Peer, reason: string): McpRow {
  return {
    id,
    package: name,
    date: new Date().toISOString().slice(0, 10),
    settings: '',
    firstMs: null,
    againMs: null,
    tools: 0,
    resources: 0,
    prompts: 0,
    sandboxed: 'no: it did not start',
    call: { tool: call.tool, outcome: 'not possible', detail: reason },
    processesLeft: null,
    blocked: [],
  };
}

function notConnected(peer: Peer, reason: string): McpRow {
  const { needs } = peer.call;
  const row = notTried(peer, needs === undefined ? reason : `needs ${needs}`);
  return needs === undefined ? { ...row, call: { ...row.call, outcome: 'failed' } } : row;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}
