import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import type { McpServerView, Principal } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { createSecrets } from '../../secrets/secrets.ts';
import type { Servers } from '../../services.ts';
import { createServers } from '../servers.ts';

export const OWNER: Principal = { ownerId: 'owner' };

/** The MCP part of a server on a data folder of its own. */
export type ServerRoom = {
  storage: Storage;
  /** Everything that was logged. */
  logged: string[];
  /** Starts with these servers, once those before are closed: what is stored is still there. */
  start(servers: ServerConfig[]): Promise<Servers>;
  viewWhen(id: string, state: McpServerView['state']): Promise<McpServerView>;
  close(): Promise<void>;
};

/** The data folder's `mcp.json` with these servers. */
function written(folder: string, configs: readonly ServerConfig[]): string {
  const entries = configs.map(({ id, transport: { type, ...how } }) => [id, type === 'hosted' ? { hosted: how } : how]);
  const path = join(folder, 'mcp.json');
  writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(entries) as object }));
  return path;
}

export async function openServerRoom(): Promise<ServerRoom> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-room-'));
  const storage = await openStorage({ folder, clock: systemClock });
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  let servers: Servers | undefined;
  return {
    storage,
    logged,
    async start(configs) {
      await servers?.close();
      servers = await createServers({
        builtIn: [],
        file: written(folder, configs),
        flags: [],
        env: {},
        owner: OWNER,
        settings: storage.settings,
        permissions: storage.permissions,
        secrets: createSecrets({ repository: storage.secrets, clock: systemClock, folder, env: {}, log }),
        signIns: createMemoryAuthStore(),
        hub: { changed: () => undefined },
        clock: systemClock,
        log,
      });
      return servers;
    },
    viewWhen: (id, state) =>
      eventually(
        async () => (await servers?.list(OWNER))?.items.find((view) => view.id === id && view.state === state),
        {
          what: `${id} being ${state}`,
        },
      ),
    async close() {
      await servers?.close();
      storage.close();
      rmSync(folder, { recursive: true });
    },
  };
}
