import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Owner } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { ModelServer } from '@toolyard/testing';
import { createIds, createSteadyClock, ownPort, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach } from 'vitest';
import type { Secrets } from '../../secrets/secrets.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import type { ModelsOptions, ModelsService } from '../models.ts';
import { createModels } from '../models.ts';

export const OWNER: Owner = { ownerId: 'owner' };

/** A data folder with the models and model servers of a test, all disposed after it. */
export type ModelsScene = {
  folder: string;
  storage: Storage;
  secrets: Secrets;
  /** Change notifications to the owner's pages, in order. */
  changes: unknown[];
  /** Closed at the end. */
  open: { close(): Promise<unknown> }[];
  models: (more?: Partial<ModelsOptions>) => Promise<ModelsService>;
  server: (...how: Parameters<typeof startModelServer>) => Promise<ModelServer>;
  end: () => Promise<void>;
};

export function setModelsScene(): Promise<ModelsScene> {
  return fill({} as ModelsScene);
}

/** A scene for each test of a file, with what most tests start; disposed after the test. */
export function useModelsScene(): { scene: ModelsScene } & Pick<ModelsScene, 'models' | 'server'> {
  const scene = {} as ModelsScene;
  beforeEach(async () => {
    await fill(scene);
  });
  afterEach(() => scene.end());
  return { scene, models: (more) => scene.models(more), server: (...how) => scene.server(...how) };
}

async function fill(scene: ModelsScene): Promise<ModelsScene> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-models-'));
  const storage = await openStorage({ folder, clock: systemClock });
  const secrets = createSecrets({ repository: storage.secrets, clock: systemClock, folder, env: {}, log: () => {} });
  const changes: unknown[] = [];
  const open: ModelsScene['open'] = [];
  // Tests may reopen folder and keys, so read them from the scene.
  return Object.assign(scene, {
    folder,
    storage,
    secrets,
    changes,
    open,
    async models(more = {}) {
      const made = await createModels({
        settings: scene.storage.settings,
        secrets: scene.secrets,
        env: {},
        fileProviders: [],
        fileDefaults: {},
        statedModels: {},
        clock: createSteadyClock(),
        ids: createIds(),
        hub: { changed: (...what) => void changes.push(what) },
        localPorts: [],
        ...more,
      });
      open.push(made);
      return made;
    },
    async server(...how) {
      const started = await startModelServer(...how);
      open.push(started);
      return started;
    },
    async end() {
      await Promise.all(open.splice(0).map((one) => one.close()));
      scene.storage.close();
      rmSync(folder, { recursive: true });
    },
  } satisfies ModelsScene);
}

/** The keys in the requests of a model server, in order. */
export function keysSeen({ requests }: ModelServer): (string | undefined)[] {
  return requests.map(({ headers }) => headers.authorization);
}

/** A URL at which nothing listens. */
export async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await ownPort()}/v1`;
}
