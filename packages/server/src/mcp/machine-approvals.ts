import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { DATABASE_FILE, openStorage, readSetting, StorageError } from '@toolyard/storage';
import { OWNER } from '../http/types.ts';
import type { MachineSignInsOptions } from './machine-sign-ins.ts';
import type { ApprovalStore } from './entry-approvals.ts';

/**
 * The approvals of a server over this data folder or database, for a command that runs without one. They are read beside
 * a server that is running; only one that is not running leaves the folder to be written.
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
      // The first start of a server approves what is in the file by then.
      if (!existsSync(join(folder, DATABASE_FILE))) return;
      const storage = await openStorage({ folder, clock: systemClock }).catch((thrown: unknown) => {
        throw StorageError.isInstance(thrown) && thrown.problem === 'in_use' ? inUse() : thrown;
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

function inUse(): ToolyardError {
  return new ToolyardError({
    code: 'conflict',
    message:
      'A Toolyard is running with this data folder and keeps the approvals of its local servers. Nothing was changed.',
    hint: 'Leave out --alone, or stop it first.',
  });
}
