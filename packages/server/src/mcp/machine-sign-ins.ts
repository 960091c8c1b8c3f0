import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuthStore } from '@toolyard/mcp-host';
import { systemClock, ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { DATABASE_FILE, openStorage, StorageError } from '@toolyard/storage';
import { createConflictError } from '../errors.ts';
import { OWNER } from '../http/types.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { createSignInStore } from './sign-in-store.ts';

export type MachineSignInsOptions = {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
};

/** The sign-ins of a data folder that no server uses. */
export type MachineSignIns = AuthStore & { close(): void };

/**
 * The sign-ins that a server with this folder has. The folder is opened only to read or store something; while a server
 * uses it, there are no sign-ins here.
 */
export function openMachineSignIns({ dataDir, env, log }: MachineSignInsOptions): MachineSignIns {
  const clock = systemClock;
  let storage: Storage | undefined;
  let opening: Promise<AuthStore> | undefined;

  async function open(): Promise<AuthStore> {
    storage = await openStorage({ folder: dataDir, clock });
    const secrets = createSecrets({ repository: storage.secrets, clock, folder: dataDir, env, log });
    return createSignInStore({ repository: storage.signIns, secrets, owner: OWNER, clock });
  }

  function opened(): Promise<AuthStore> {
    opening ??= open().catch((thrown: unknown) => {
      opening = undefined;
      throw StorageError.isInstance(thrown) && thrown.problem === 'in_use' ? createTakenError() : thrown;
    });
    return opening;
  }

  return {
    async get(key) {
      if (opening === undefined && !existsSync(join(dataDir, DATABASE_FILE))) return undefined;
      try {
        return await (await opened()).get(key);
      } catch (thrown) {
        if (ToolyardError.isInstance(thrown) && thrown.code === 'conflict') return undefined;
        throw thrown;
      }
    },
    put: async (...row) => (await opened()).put(...row),
    remove: async (...row) => (await opened()).remove(...row),
    close: () => storage?.close(),
  };
}

function createTakenError(): ToolyardError {
  return createConflictError(
    'A Toolyard server uses this data folder and manages its sign-ins.',
    'Sign in through that server, or stop it first.',
  );
}
