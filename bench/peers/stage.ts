import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { browserCommand, whyNoBrowser } from '../../e2e/support/unpack-browser.ts';
import { childEnvironment } from '../../packages/mcp-host/src/node/index.ts';
import { ROOT, run } from '../../scripts/run.ts';
import { listenOnLoopback } from '../../testing/src/loopback.ts';
import { say } from '../harness/command.ts';
import { startChildServer } from './child-server.ts';

/** What the servers use. */
export type Stage = {
  /** The folder of this server. */
  folder: string;
  /** A web page on this machine, with the text {@link PAGE_TEXT}. */
  pageUrl: string;
  /** The Chromium of the tests; null if it cannot run on this machine. */
  chromium: { executablePath: string; env: Record<string, string> } | null;
  /** The MCP server behind `mcp-proxy`; null if it did not start. */
  proxiedUrl: string | null;
};

export const PAGE_TEXT = 'The tide turns at noon';
const UV = 'uv==0.13.8';

/** A folder below that of everything that is downloaded or written, except the report. */
export function cachedFolder(...names: readonly string[]): string {
  const folder = join(ROOT, '.cache', 'peers', ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Appends the folder of `uv` and `uvx` to PATH. Returns the reason if there is no Python 3.10 or newer. */
export async function prepareUv(): Promise<string | null> {
  const folder = cachedFolder('python');
  const bin = join(folder, 'bin');
  // Without the folders that npm prepends to PATH, so that servers find the programs of the user.
  process.env['PATH'] = `${childEnvironment(process.env).env['PATH'] ?? ''}${delimiter}${bin}`;
  if (existsSync(join(bin, 'uv'))) return null;
  for (const [command, ...args] of [
    ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))'],
    ['python3', '-m', 'venv', folder],
    [join(bin, 'python'), '-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', UV],
  ] as const) {
    const { code, output } = await run(command, args, { quiet: true }).catch(() => ({ code: 1, output: 'not found' }));
    if (code !== 0)
      return `uv cannot be installed with Python 3.10 or newer: ${output.trim().split('\n').at(-1) ?? ''}`;
  }
  return null;
}

/** The stage of these servers; what none of them uses is not started. */
export async function openStage(
  stack: AsyncDisposableStack,
  uses: { browser: boolean; proxied: boolean },
): Promise<Omit<Stage, 'folder'>> {
  const html = `<!doctype html><title>${PAGE_TEXT}</title><h1>${PAGE_TEXT}</h1><p>A page of this machine.</p>`;
  const page = await listenOnLoopback(
    createServer((_request, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html)),
  );
  stack.defer(page.close);
  const noBrowser = uses.browser ? await whyNoBrowser() : null;
  if (noBrowser !== null) say(`peers: ${noBrowser}`);
  return {
    pageUrl: `${page.origin}/tides.html`,
    chromium: uses.browser && noBrowser === null ? await browserCommand() : null,
    proxiedUrl: uses.proxied ? await startProxied(stack) : null,
  };
}

/** `mcp-proxy` in front of `mcp-server-time`, started outside of Toolyard and its sandbox; null if it does not start. */
async function startProxied(stack: AsyncDisposableStack): Promise<string | null> {
  const port = String(20_000 + (process.pid % 10_000));
  const command = [
    'uvx',
    'mcp-proxy@0.13.0',
    '--pass-environment',
    '--port',
    port,
    'uvx',
    'mcp-server-time@2026.10.19',
  ];
  const url = `http://127.0.0.1:${port}/sse`;
  try {
    await startChildServer(stack, command, { url, env: { UV_CACHE_DIR: cachedFolder('uv-cache') } });
    return url;
  } catch (thrown) {
    say(`peers: mcp-proxy: ${String(thrown)}`);
    return null;
  }
}
