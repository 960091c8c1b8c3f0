import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type {
  AllPrompts,
  Attachment,
  FilledPrompt,
  ListedResource,
  ListedTemplate,
  ServerHealth,
  WireEntry,
} from '@toolyard/mcp-host';
import type { ErrorInfo, JsonObject, McpTestReport, ResourcePart, ToolReference, ToolResult } from '@toolyard/protocol';
import { build, defaultClientConditions } from 'vite';
import { pageFingerprint } from '../../scripts/build-page.ts';

/** What a person enters of a server of their browser. */
export type Draft = {
  name: string;
  transport: 'http' | 'sse' | 'websocket';
  url: string;
  headers: Record<string, string>;
  enabled: boolean;
  useProxy: boolean;
  keepSecrets: boolean;
};

type View = { id: string; state: ServerHealth['state']; missingHeaders: string[]; error?: ErrorInfo };

/** The page's `mcpStore`, as far as tests speak with it. */
export type TabStore = {
  list: readonly View[];
  setAside: readonly { name: string; reason: string }[];
  isInitializing: boolean;
  error: ErrorInfo | null;
  toolCount: number;
  connectedServers: readonly string[];
  health: ReadonlyMap<string, ServerHealth>;
  activeFlows: number;
  ensureInitialized(): Promise<void>;
  follow(choices: Record<string, boolean>): Promise<void>;
  add(draft: Draft): View;
  edit(id: string, draft: Draft): View;
  draftOf(id: string): Draft;
  remove(id: string): Promise<void>;
  setEnabled(id: string, enabled: boolean): Promise<void>;
  reconnect(id: string): Promise<void>;
  test(draft: Draft): Promise<McpTestReport>;
  wireLog(id: string): WireEntry[];
  tools(choices?: {
    servers?: Record<string, boolean>;
    disabledTools?: string[];
  }): readonly { name: string; tool: ToolReference }[];
  resolve(name: string): { tool: ToolReference } | undefined;
  executeTool(tool: ToolReference, args: JsonObject, signal?: AbortSignal): Promise<ToolResult>;
  getAllPrompts(): Promise<AllPrompts>;
  getPrompt(serverId: string, name: string, args?: Record<string, string>): Promise<FilledPrompt>;
  readResource(serverId: string, uri: string): Promise<ResourcePart[]>;
  acquire(): Promise<() => void>;
  shutdown(waitMs?: number): Promise<void>;
};

/** The page's `mcpResourceStore`. */
export type TabResources = {
  serverResources: ReadonlyMap<string, { resources: readonly ListedResource[]; templates: readonly ListedTemplate[] }>;
  attachments: readonly Attachment[];
  subscriptions: ReadonlySet<string>;
  addAttachment(resource: { serverId: string; uri: string; name?: string }): Promise<Attachment>;
  consumeAttachments(): Promise<{ parts: ResourcePart[]; restore(): void }>;
  follow(serverId: string, uri: string, listener: () => void): Promise<() => Promise<void>>;
};

const ENTRY = fileURLToPath(new URL('../../packages/web/src/lib/mcp/test-fixtures/tab-page.ts', import.meta.url));
const CONDITIONS = ['toolyard-src', ...defaultClientConditions];
/** Builds of earlier states of the sources; one that is a day old is not in use. */
const CACHE = fileURLToPath(new URL('../../.cache/tab-page/', import.meta.url));
const OLD_MS = 24 * 3_600 * 1_000;
const AT = '/tab-page/';
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.map': 'text/plain' };

let built: Promise<string> | undefined;

/** The stores of a tab, built as the page is, once for each state of the sources. Returns their folder. */
function buildTabPage(): Promise<string> {
  built ??= (async () => {
    const folder = join(CACHE, pageFingerprint([ENTRY, import.meta.filename]));
    if (existsSync(folder)) return folder;
    mkdirSync(CACHE, { recursive: true });
    const unfinished = mkdtempSync(`${folder}-`);
    await build({
      configFile: false,
      logLevel: 'error',
      base: AT,
      plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
      resolve: { conditions: CONDITIONS },
      worker: { format: 'es' },
      build: {
        outDir: unfinished,
        emptyOutDir: true,
        target: 'es2022',
        // Mapped to the sources by `npm run coverage`; the folder is gone by then.
        ...(process.env['TOOLYARD_COVERAGE'] !== undefined && { sourcemap: 'inline', minify: false }),
        rollupOptions: { input: ENTRY, output: { entryFileNames: 'tab-page.js' } },
      },
    });
    takePlace(unfinished, folder);
    return folder;
  })();
  return built;
}

/** As a whole or not at all: several workers may build at once. */
function takePlace(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
    return;
  }
  for (const name of readdirSync(CACHE)) {
    const isOld = !folder.endsWith(name) && Date.now() - statSync(join(CACHE, name)).mtimeMs > OLD_MS;
    if (isOld) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

/**
 * A server in front of Toolyard that passes everything on, but for one page: it has nothing but the stores of the MCP
 * servers of a tab, as `mcpStore` and `mcpResourceStore`, under the policies of the real page and its worker.
 */
export async function startTabFront(toolyard: string): Promise<AsyncDisposable & { page: string }> {
  const folder = await buildTabPage();
  const policy = (await fetch(toolyard)).headers.get('content-security-policy') ?? '';
  const { port } = new URL(toolyard);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });

  function serve(path: string, response: ServerResponse): void {
    if (path === '') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      response.end(`<!doctype html><title>MCP</title><script type="module" src="${AT}tab-page.js"></script>`);
      return;
    }
    const type = { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' };
    const ofWorker = { 'content-security-policy': "default-src 'none'; connect-src http: https: ws: wss:" };
    response.writeHead(files.includes(path) ? 200 : 404, { ...type, ...(path.includes('worker') ? ofWorker : {}) });
    response.end(files.includes(path) ? readFileSync(join(folder, path)) : '');
  }

  const front = createServer((incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (url.startsWith(AT)) return serve(url.slice(AT.length), outgoing);
    const on = request({ host: '127.0.0.1', port, path: url, method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    on.on('error', () => outgoing.destroy());
    outgoing.on('close', () => on.destroy());
    incoming.pipe(on);
  });
  const tunnels = new Set<Duplex>();
  front.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    const far = connect(Number(port), '127.0.0.1');
    const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    far.write(`GET ${incoming.url ?? '/'} HTTP/1.1\r\n${lines.join('')}\r\n`);
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      tunnels.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('The front has no port.');
  return {
    page: `http://127.0.0.1:${String(address.port)}${AT}`,
    async [Symbol.asyncDispose]() {
      const closed = once(front, 'close');
      for (const tunnel of tunnels) tunnel.destroy();
      front.close();
      front.closeAllConnections();
      await closed;
    },
  };
}
