import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpHost } from '../../packages/mcp-host/src/index.ts';
import { createNodeTransports, readMcpConfig } from '../../packages/mcp-host/src/node/index.ts';
import type { JsonObject, ToolResult } from '../../packages/protocol/src/index.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { say } from '../harness/command.ts';
import type { PeerServer } from './servers.ts';
import type { Stage } from './stage.ts';
import { cachedFolder } from './stage.ts';

/** Result of a server. Times are milliseconds until it was ready, with its download and without. */
export type McpRow = {
  id: string;
  package: string;
  firstMs: number | null;
  againMs: number | null;
  tools: number;
  resources: number;
  prompts: number;
  /** Its `"sandbox"`, without paths of this machine. */
  settings: string;
  /** `yes`, or the reason. */
  sandboxed: string;
  tool: string;
  /** `passed`: the content was checked. */
  outcome: 'passed' | 'failed' | 'not possible';
  detail: string;
  /** Processes of this server after closing; null if unknown. */
  processesLeft: number | null;
  /** Sandbox violations, as Toolyard shows them. */
  blocked: readonly string[];
};

/** Marks all processes of a server, including grandchildren in other process groups. */
const MARKER = 'TOOLYARD_PEER';
const CALL_MS = 120_000;
/** Maximum time until killed processes have exited. */
const GONE_MS = 5_000;

/** Connects twice, calls a tool, and closes. */
export async function tryServer(peer: PeerServer, stage: Stage, missing: string | null): Promise<McpRow> {
  const { command, args, env, tool } = peer;
  const sandbox = peer.sandbox?.(stage) ?? {};
  const untried: McpRow = {
    ...{ id: peer.id, package: peer.package, firstMs: null, againMs: null, tools: 0, resources: 0, prompts: 0 },
    ...{ settings: formatSettings(sandbox), sandboxed: 'no: it did not start', tool, processesLeft: null },
    ...{ outcome: 'not possible', detail: missing ?? peer.missing?.(stage) ?? '', blocked: [] },
  };
  if (untried.detail !== '') return untried;
  peer.prepare?.(stage);
  const before = command === 'npx' ? ['-y', peer.package] : [peer.package];
  const environment = { ...env?.(stage), [MARKER]: '${env:PEER_MARKER}' };
  const configPath = join(cachedFolder('entries', peer.id), 'mcp.json');
  const server = { command, args: [...before, ...(args?.(stage) ?? [])], env: environment, sandbox };
  writeFileSync(configPath, JSON.stringify({ mcpServers: { [peer.id]: server } }, null, 2));
  // The home folder of the sandbox: what `npx` and `uvx` downloaded.
  rmSync(cachedFolder('sandboxes', peer.id), { recursive: true });
  const first = { ...untried, ...(await connectAndCall(peer, stage, configPath)) };
  if (first.firstMs === null) return first;
  const again = { ...untried, ...(await connectAndCall(peer, stage, configPath)) };
  return { ...again, firstMs: first.firstMs, againMs: again.firstMs };
}

function formatSettings(sandbox: JsonObject): string {
  const shown = Object.entries(sandbox).map(([key, value]) =>
    key === 'read' || key === 'write' ? `"${key}": [its folder]` : `"${key}": ${JSON.stringify(value)}`,
  );
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}

async function connectAndCall(peer: PeerServer, stage: Stage, configPath: string): Promise<Partial<McpRow>> {
  const marker = `${peer.id}-${randomUUID()}`;
  const [read] = readMcpConfig(configPath, { ...process.env, PEER_MARKER: marker });
  if (read === undefined) throw new Error(`no entry for ${peer.id}`);
  if ('fault' in read) throw read.fault;
  const host = new McpHost({
    servers: [read.config],
    createTransport: createNodeTransports({
      fetch: (input, init) => fetch(input, init),
      sandbox: { stateFolder: cachedFolder('sandboxes', peer.id) },
    }),
    clock: systemClock,
    clientInfo: { name: 'toolyard-peers', version: '1.0.0' },
    maxReconnects: 0,
  });
  let tried: Partial<McpRow>;
  try {
    tried = await useHost(host, peer, stage);
  } finally {
    await host.close();
  }
  return { ...tried, processesLeft: await countLeft(marker) };
}

async function useHost(host: McpHost, peer: PeerServer, stage: Stage): Promise<Partial<McpRow>> {
  const begun = performance.now();
  const progress = setInterval(() => {
    const [health] = host.health();
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    say(`    ${peer.id}: ${health?.state ?? ''} ${seconds} s ${health?.launch?.stderr.at(-1) ?? ''}`);
  }, 15_000);
  await host.connectAll().finally(() => clearInterval(progress));
  const firstMs = Math.round(performance.now() - begun);
  const [health] = host.health();
  if (health?.state !== 'ready') {
    const { message = 'unknown reason', hint = '' } = health?.error ?? {};
    return notPassed(peer, `${message} ${hint}`);
  }
  const called = await callTool(host, peer, stage);
  // Listed without a wait: by now they are there.
  const { tools, resources, prompts } = host.offered(peer.id);
  const isolation = host.health()[0]?.isolation;
  return {
    ...{ firstMs, tools: tools.length, resources: resources.length, prompts: prompts.length, ...called },
    sandboxed: isolation?.kind === 'sandboxed' ? 'yes' : `no: ${isolation?.kind ?? 'not started'}`,
    blocked: isolation?.kind === 'sandboxed' ? isolation.blocked.map(({ target }) => target) : [],
  };
}

async function callTool(host: McpHost, peer: PeerServer, stage: Stage): Promise<Partial<McpRow>> {
  const result = await host
    .callTool({ serverId: peer.id, name: peer.tool }, peer.arguments?.(stage) ?? {}, { timeoutMs: CALL_MS })
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const text = result instanceof Error ? result.message : textOf(result);
  const succeeded = !(result instanceof Error) && !result.isError && peer.expects.test(text);
  return succeeded ? { outcome: 'passed', detail: '' } : notPassed(peer, text);
}

function notPassed({ needs }: PeerServer, reason: string): Partial<McpRow> {
  if (needs !== undefined) return { outcome: 'not possible', detail: `needs ${needs}` };
  return { outcome: 'failed', detail: reason.replace(/\s+/g, ' ').trim().slice(0, 300) };
}

function textOf({ content, structured, error }: ToolResult): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part).slice(0, 100_000)));
  return [...texts, structured === undefined ? '' : JSON.stringify(structured), error?.message ?? ''].join('\n');
}

/** Processes with this marker, after a while for them to exit; null except on Linux. */
async function countLeft(marker: string): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  for (const end = performance.now() + GONE_MS; ; await sleep(50)) {
    const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isMarked(name, marker));
    if (left.length === 0 || performance.now() > end) return left.length;
  }
}

function isMarked(pid: string, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARKER}=${marker}`);
  } catch {
    // It has exited, or belongs to another user.
    return false;
  }
}
