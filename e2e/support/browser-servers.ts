import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

/** An MCP server as the page stores it in localStorage. */
export type StoredServer = {
  id: string;
  name: string;
  transport: 'http' | 'sse' | 'websocket';
  url: string;
  headers?: Record<string, string | null>;
  enabled?: boolean;
  useProxy?: boolean;
};

const KEY = 'toolyard:mcp-servers:1';

export function storedServer(name: string, url: string, more: Partial<StoredServer> = {}): StoredServer {
  return { id: `browser-${name.toLowerCase().replaceAll(' ', '-')}`, name, transport: 'http', url, ...more };
}

/** Opens the page in a browser whose localStorage has this list of servers. */
export function openWithServers(stage: Stage, path: string, list: unknown): Promise<Page> {
  const localStorage = [{ name: KEY, value: JSON.stringify(list) }];
  return stage.open(path, { storageState: { cookies: [], origins: [{ origin: stage.line.url, localStorage }] } });
}

/** Replaces the stored list of servers; other tabs of the browser are notified. */
export async function storeServers(page: Page, list: unknown): Promise<void> {
  await page.evaluate(([key, text]) => localStorage.setItem(key ?? '', text ?? ''), [KEY, JSON.stringify(list)]);
}

export function readStoredServers(page: Page): Promise<string | null> {
  return page.evaluate((key) => localStorage.getItem(key), KEY);
}
