import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../../../testing/src/eventually.ts';
import { findChromium } from '../chromium.ts';
import { cached, cachedFolder } from '../folders.ts';
import type { Python } from '../python.ts';
import type { Peer, Stage } from './peer.ts';
import { PAGE_TEXT } from './peer.ts';

export type OpenStage = AsyncDisposable & { of(peer: Peer): Stage };

/** Test environment for peers: a web page, a browser, and a server behind `mcp-proxy`. */
export async function openStage(peers: readonly Peer[], python: Python | string): Promise<OpenStage> {
  const wants = (...ids: readonly string[]): boolean => peers.some(({ id }) => ids.includes(id));
  const page = await servePage();
  const chromium = wants('playwright', 'chrome-devtools') ? await findChromium() : null;
  const proxied = wants('mcp-proxy') && typeof python !== 'string' ? await startProxied() : null;
  return {
    of: ({ id }) => ({
      folder: cachedFolder('folders', id),
      pageUrl: page.url,
      chromium,
      proxiedUrl: proxied?.url ?? null,
    }),
    async [Symbol.asyncDispose]() {
      page.close();
      await proxied?.end();
    },
  };
}

async function servePage(): Promise<{ url: string; close(): void }> {
  const html = `<!doctype html><title>${PAGE_TEXT}</title><h1>${PAGE_TEXT}</h1><p>A page of this machine.</p>`;
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/tides.html`, close };
}

/** `mcp-proxy` in front of `mcp-server-time`, started outside of Toolyard and its sandbox. */
async function startProxied(): Promise<{ url: string; end(): Promise<void> } | null> {
  const port = String(20_000 + (process.pid % 10_000));
  const child = spawn(
    'uvx',
    ['mcp-proxy@0.13.0', '--pass-environment', '--port', port, 'uvx', 'mcp-server-time@2026.10.19'],
    {
      stdio: 'ignore',
      env: { ...process.env, UV_CACHE_DIR: cached('uv-cache'), UV_TOOL_DIR: join(cached('uv-cache'), 'tools') },
      detached: true,
    },
  );
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  const url = `http://127.0.0.1:${port}/sse`;
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    const check = async (): Promise<boolean> => isOver() || (await isListening(url));
    await eventually(check, { what: 'mcp-proxy to listen', timeoutMs: 300_000, everyMs: 200 });
  } catch {
    await end();
  }
  return isOver() ? null : { url, end };
}

async function isListening(url: string): Promise<boolean> {
  const stop = new AbortController();
  try {
    const response = await fetch(url, { signal: stop.signal });
    return response.ok;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}
