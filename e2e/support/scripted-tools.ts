import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import { scriptedMcpCommand } from '@toolyard/testing';

/** Scripted MCP servers by name. */
export type ScriptedServers = Readonly<
  Record<
    string,
    {
      behaviour: McpBehaviourName | McpBehaviour;
      env?: Record<string, string>;
      /** Additional fields of its entry. */
      entry?: Record<string, unknown>;
    }
  >
>;

/** Arguments of `toolyard serve` for scripted MCP servers; the file they name exists until it is disposed of. */
export function scriptTools(servers: ScriptedServers): Disposable & { args: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-'));
  const file = join(folder, 'mcp.json');
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, { behaviour, env = {}, entry = {} }]) => [
      name,
      { ...scriptedMcpCommand(behaviour), env, ...entry },
    ]),
  );
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return {
    args: ['--mcp-config', file],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
