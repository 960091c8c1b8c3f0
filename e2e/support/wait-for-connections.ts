import { eventually } from '@toolyard/testing';
import type { LocalServerInstance } from './server-instances.ts';

/** The MCP servers of a process, counted by their state. */
type States = Partial<Record<string, number>>;

const LINE = /^toolyard_mcp_servers\{state="(\w+)"\} (\d+)$/gm;

/**
 * Waits until these processes have the connections a test needs. What other processes show of a server is the
 * connection of its holder; a worker reports its own connections only in its metrics, and a run continues without
 * servers that take too long.
 */
export async function waitForConnections(
  lives: readonly LocalServerInstance[],
  isSo: (states: States) => boolean,
): Promise<void> {
  for (const { url } of lives) {
    await eventually(async () => isSo(await statesAt(url)), { what: `the connections of the worker at ${url}` });
  }
}

async function statesAt(url: string): Promise<States> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Object.fromEntries<number>([...metrics.matchAll(LINE)].map(([, state = '', count]) => [state, Number(count)]));
}
