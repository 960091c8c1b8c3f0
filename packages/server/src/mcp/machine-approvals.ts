import type { ToolyardError } from '@toolyard/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { DATABASE_FILE, openStorage, readSetting, StorageError } from '@toolyard/storage';
import { createConflictError } from '../errors.ts';
import { OWNER } from '../http/types.ts';
import type { MachineSignInsOptions } from './machine-sign-ins.ts';
import type { ApprovalStore } from './entry-approvals.ts';

/**
 * The approvals of a server with this data folder or database, for a command without a server. They can be read while a
 * server is running, but written only without one.
 */
export function openMachineApprovals(options: Omit<MachineSignInsOptions, 'log'>): ApprovalStore {
  const { dataDir, env } = options;
  const url = env['DATABASE_URL'];
  return url === undefined || url === '' ? ofFolder(dataDir) : ofDatabase(url);
}

function ofFolder(folder: string): ApprovalStore {
  return {
    get: (key) => Promise.resolve(readSetting(folder, OWNER, key)),
    async set(key, value) {
      // The first start of a server approves the entries that exist by then.
      if (!existsSync(join(folder, DATABASE_FILE))) return;
      const storage = await openStorage({ folder, clock: systemClock }).catch((thrown: unknown) => {
        throw StorageError.isInstance(thrown) && thrown.problem === 'in_use' ? createInUseError() : thrown;
      });
      try {
        await storage.settings.set(OWNER, key, value, systemClock.now());
      } finally {
        storage.close();
      }
    },
  };
}

function ofDatabase(url: string): ApprovalStore {
  const during = async <T>(work: (storage: SharedStorage) => Promise<T>): Promise<T> => {
    const storage = await openStorage({ url, notify: false, clock: systemClock });
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  };
  return {
    get: (key) => during(({ settings }) => settings.get(OWNER, key)),
    set: (key, value) => during(({ settings }) => settings.set(OWNER, key, value, systemClock.now())),
  };
}

function createInUseError(): ToolyardError {
  return createConflictError(
    'A Toolyard server uses this data folder and manages the approvals of its local servers. Nothing was changed.',
    'Omit --standalone, or stop the server first.',
  );
}
