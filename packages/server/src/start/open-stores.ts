import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createUuidSource } from '@toolyard/agent-host';
import { defined, systemClock } from '@toolyard/protocol';
import type { DatabaseStorage, SharedStorage, Storage, StorageOptions } from '@toolyard/storage';
import { DATABASE_FILES, openStorage, readS3Settings } from '@toolyard/storage';
import { ownToken } from '../access-token.ts';
import { readConfigFile } from '../config/config-file.ts';
import type { ServerOptions, ServerSettings } from '../config/server-options.ts';
import { resolveOptions } from '../config/server-options.ts';
import { describeLockHolder } from '../find-toolyard.ts';
import { OWNER } from '../http/types.ts';
import { createClusterHub } from '../live/cluster-hub.ts';
import { createLiveHub } from '../live/hub.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createModels } from '../models/models.ts';
import { ClusterMember } from '../roles/cluster-member.ts';
import type { Role } from '../roles/role.ts';
import { roleCapabilities } from '../roles/role.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { closeOrWarn } from '../secrets/private-file.ts';
import type { ShutdownStack } from '../shutdown-stack.ts';
import type { ServerOverrides } from './overrides.ts';

/** What this process reads and stores, and how it reaches the other processes of its database. */
export type Stores = Awaited<ReturnType<typeof openStores>>;

/**
 * Opens the data folder or the database.
 *
 * @throws ToolyardError if a file of the folder is invalid, or another process uses the folder
 */
export async function openStores(options: ServerOptions, overrides: ServerOverrides, shutdown: ShutdownStack) {
  const { dataDir, env, log } = options;
  const { failpoint, watchStorage = (storage: SharedStorage) => storage, scryptCost } = overrides;
  const clock = systemClock;
  const ids = createUuidSource();
  for (const name of ['config.json', ...DATABASE_FILES]) closeOrWarn(join(dataDir, name), log);
  const file = readConfigFile(join(dataDir, 'config.json'), env);
  const settings = resolveOptions(options, file.flags);
  const { role } = settings;
  const capabilities = roleCapabilities(role);

  const opened = await open(settings, { clock, ...defined({ failpoint }) });
  shutdown.defer('storage', () => opened.close());
  const token = getToken(settings, capabilities.web);
  const storage = watchStorage(opened);
  const metrics = settings.metrics ? createMetrics(role) : null;
  shutdown.defer('metrics', () => metrics?.close());
  const channel = 'notifications' in opened ? opened.notifications : null;
  const notifications = channel && metrics ? metrics.countedNotifications(channel) : channel;
  const clusterHub = notifications && createClusterHub(createLiveHub(), { notifications, clock, log });
  // Messages sent last are delivered before the connection is closed.
  shutdown.defer('messages to other processes', () => clusterHub?.flush());
  const hub = clusterHub ?? createLiveHub();
  const secrets = createSecrets({
    repository: storage.secrets,
    clock,
    folder: dataDir,
    env,
    log,
    ...('installation' in opened ? { shared: opened.installation } : {}),
    ...defined({ scryptCost }),
  });
  await secrets.claim();
  const configured = await createModels({
    settings: storage.settings,
    secrets,
    env,
    fileProviders: file.providers,
    fileDefaults: file.defaults,
    statedModels: file.models,
    clock,
    ids,
    hub,
  });
  shutdown.defer('model providers', () => configured.close());
  const cluster =
    'processes' in opened
      ? new ClusterMember({
          processes: opened.processes,
          id: ids.next(),
          role,
          owner: OWNER,
          tokens: await processTokens(secrets, role),
          hub,
          clock,
          log,
          ...defined({ leaseMs: overrides.leaseMs, lastCallsMs: overrides.lastCallsMs }),
        })
      : null;
  shutdown.defer('connections to other processes', () => cluster?.close());
  return {
    options,
    overrides,
    file,
    settings,
    capabilities,
    clock,
    ids,
    log,
    token,
    storage,
    metrics,
    hub,
    clusterHub,
    secrets,
    models: metrics ? metrics.countedModels(configured) : configured,
    cluster,
  };
}

/** Null if none is required. A process without the API needs no token of its own: it uses one only for `/metrics`. */
function getToken({ token, dataDir, databaseUrl, log }: ServerSettings, hasApi: boolean): string | readonly [] | null {
  if (token !== undefined) return token;
  return databaseUrl !== undefined && !hasApi ? [] : ownToken(dataDir, log);
}

/** Keys with which processes authenticate each other; null for a process that has all roles. */
async function processTokens(secrets: Secrets, role: Role): Promise<[string, ...string[]] | null> {
  try {
    return await secrets.tokens('processes');
  } catch (thrown) {
    if (role === 'all') return null;
    throw thrown;
  }
}

/** If the folder is locked, the error names the process that has it. */
async function open(
  { dataDir, databaseUrl, databaseNotify, blobsUrl, env }: ServerSettings,
  options: Omit<StorageOptions, 'folder'>,
): Promise<Storage | DatabaseStorage> {
  if (databaseUrl !== undefined) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const files = blobsUrl === undefined ? {} : { files: readS3Settings(blobsUrl, env) };
    return openStorage({ url: databaseUrl, notify: databaseNotify, ...files, ...options });
  }
  try {
    return await openStorage({ folder: dataDir, ...options });
  } catch (thrown) {
    throw await describeLockHolder(thrown, dataDir);
  }
}
