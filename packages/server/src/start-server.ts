import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createUuidSource, FunctionTools } from '@toolyard/agent-host';
import { resolvePath } from '@toolyard/agent-host/node';
import { killOrphans } from '@toolyard/mcp-host/node';
import type { Failpoint } from '@toolyard/protocol';
import { defined, messageOf, systemClock } from '@toolyard/protocol';
import type { DatabaseStorage, SharedStorage, Storage, StorageOptions } from '@toolyard/storage';
import { DATABASE_FILES, openStorage, readS3Settings } from '@toolyard/storage';
import { ownToken, TOKEN_FILE } from './access-token.ts';
import { createServerTools, createSkills } from './built-in/server-tools.ts';
import { createMediaSettings } from './built-in/media/media-settings.ts';
import { createWebSettings } from './built-in/web/web-settings.ts';
import { createEmailChannel } from './email/email-channel.ts';
import { readEmail } from './email/email-settings.ts';
import { readConfigFile } from './config/config-file.ts';
import { createConfigurations } from './config/configurations.ts';
import type { ServerOptions, ServerSettings } from './config/server-options.ts';
import { resolveOptions } from './config/server-options.ts';
import { ShutdownStack } from './shutdown-stack.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { randomCredential } from './http/auth/credentials.ts';
import { startFrames } from './frames/frames.ts';
import type { Listening } from './http/listen.ts';
import { listen } from './http/listen.ts';
import { createHttpModelCalls } from './http/routes/model-calls.ts';
import type { AccessToken } from './http/types.ts';
import { OWNER } from './http/types.ts';
import { createLiveHub } from './live/hub.ts';
import { createClusterHub } from './live/cluster-hub.ts';
import { createLiveStreams } from './live/streams.ts';
import { createServers } from './mcp/servers.ts';
import { createSignInStore } from './mcp/sign-in-store.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createCallLimit } from './models/call-limit.ts';
import { createModels } from './models/models.ts';
import { createConversationTitles } from './models/conversation-titles.ts';
import { createPresetTasks } from './models/preset-tasks.ts';
import { createProxy } from './proxy/proxy.ts';
import { createRunService } from './runs/create-run-service.ts';
import { withInternalApi } from './roles/internal-api.ts';
import type { Role } from './roles/role.ts';
import { roleCapabilities } from './roles/role.ts';
import { ClusterMember } from './roles/cluster-member.ts';
import { createRemoteServers, RemoteServers } from './roles/remote-servers.ts';
import { createRelayedTabTools } from './roles/relayed-tab-tools.ts';
import type { Secrets } from './secrets/secrets.ts';
import { createSecrets } from './secrets/secrets.ts';
import { closeOrWarn, writePrivate } from './secrets/private-file.ts';
import { TabToolBroker } from './tabs/tab-tool-broker.ts';
import { createTabToolSource } from './tabs/tab-tool-source.ts';
import { readTelemetry } from './telemetry/telemetry-settings.ts';
import { createSchedules } from './schedules/schedules.ts';
import { createTriggers } from './triggers/triggers.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { ADDRESS_FILE, describeLockHolder } from './find-toolyard.ts';
import { retryUntilStored } from './retry-until-stored.ts';

/** A server that accepts requests. */
export type RunningServer = {
  /** URL of the page and the API, without a trailing slash. */
  readonly url: string;
  /** File of the access token if this server created it; null if the token was supplied, or none is required. */
  readonly tokenFile: string | null;
  /** URL of the page with a one-time code that signs a browser in; without a code if no token is required. */
  signInUrl(): Promise<string>;
  /** Lets requests finish, leaves runs for the next start to resume, and releases the data folder. */
  close(): Promise<void>;
  /** While closing, the part it waits for, in one or two words. */
  readonly waitsFor: string | null;
};

/** Replacements that tests use. */
export type ServerOverrides = {
  failpoint?: Failpoint;
  /** Wraps the storage that the server opened. */
  watchStorage?: (storage: SharedStorage) => SharedStorage;
  /** Time after which runs and servers of a process without heartbeat are released; default 10 s. */
  leaseMs?: number;
  /** Interval at which this process looks for runs whose lease has expired; default 3 s. */
  takeOverEveryMs?: number;
  /** How long a run waits for MCP servers that connect for the first time; default 5 s. */
  serversMs?: number;
  /** How long calls in progress may take when the server is closed; default 5 s. */
  lastCallsMs?: number;
  /** Cost of deriving a key from TOOLYARD_SECRET (`N` of scrypt); default 2^15. */
  scryptCost?: number;
};

/**
 * Opens the data folder, listens, and resumes the runs of the last process.
 *
 * @throws ToolyardError if the options, a file of the data folder, the folder or the port cannot be used; nothing keeps
 * running then.
 */
export async function startServer(options: ServerOptions, overrides: ServerOverrides = {}): Promise<RunningServer> {
  resolveOptions(options);
  await using undo = new AsyncDisposableStack();
  const shutdown = undo.use(new ShutdownStack());
  const server = await assemble(options, overrides, shutdown);
  const ending = undo.move();
  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    tokenFile: options.token === undefined ? join(options.dataDir, TOKEN_FILE) : null,
    signInUrl: () => server.signInUrl(),
    close: () => (closing ??= ending.disposeAsync()),
    get waitsFor() {
      return shutdown.now;
    },
  };
}

/** Creates and connects the parts; each adds its shutdown to `ends`. */
async function assemble(
  options: ServerOptions,
  {
    failpoint,
    watchStorage = (opened) => opened,
    leaseMs,
    takeOverEveryMs,
    serversMs,
    lastCallsMs,
    scryptCost,
  }: ServerOverrides,
  shutdown: ShutdownStack,
): Promise<{ url: string; signInUrl: () => Promise<string> }> {
  const { dataDir, env, log } = options;
  const clock = systemClock;
  const ids = createUuidSource();
  for (const name of ['config.json', ...DATABASE_FILES]) closeOrWarn(join(dataDir, name), log);
  const file = readConfigFile(join(dataDir, 'config.json'), env);
  const settings = resolveOptions(options, file.flags);
  const { host, port, role } = settings;
  const capabilities = roleCapabilities(role);

  const opened = await open(settings, { clock, ...defined({ failpoint }) });
  shutdown.defer('storage', () => opened.close());
  const token = tokenOf(settings, capabilities.web);
  // For commands of the same user: valid until this process exits, stored beside its URL.
  const terminalToken = randomCredential();
  const storage = watchStorage(opened);
  const metrics = settings.metrics ? createMetrics(role) : null;
  shutdown.defer('metrics', () => metrics?.close());
  const channel = 'notifications' in opened ? opened.notifications : null;
  const notifications = channel && metrics ? metrics.countedNotifications(channel) : channel;
  const relayed =
    notifications &&
    createClusterHub(createLiveHub(), {
      notifications,
      clock,
      log,
      onWake: (runId) => runs.woken(runId),
      onServers: () => cluster?.look(),
    });
  // Messages sent last are delivered before the connection is closed.
  shutdown.defer('messages to other processes', () => relayed?.flush());
  const hub = relayed ?? createLiveHub();
  const shared = 'installation' in opened ? { shared: opened.installation } : {};
  const secrets = createSecrets({
    repository: storage.secrets,
    clock,
    folder: dataDir,
    env,
    log,
    ...shared,
    ...defined({ scryptCost }),
  });
  await secrets.claim();
  const opening = await createModels({
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
  shutdown.defer('model providers', () => opening.close());
  const models = metrics ? metrics.countedModels(opening) : opening;
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
          ...defined({ leaseMs, lastCallsMs }),
        })
      : null;
  shutdown.defer('connections to other processes', () => cluster?.close());
  if (capabilities.servers !== 'none') logOrphans(await killOrphans(clock), log);
  const configurations = createConfigurations({
    storage,
    fileDefaults: file.defaults,
    standardModel: (principal) => models.standard(principal),
  });
  const callPolicy = createCallLimit();
  const webTools = createWebSettings({ settings: storage.settings, secrets, clock });
  const mediaTools = createMediaSettings({ settings: storage.settings, clock });
  const skills = createSkills({ settings: storage.settings, dataDir, clock, servers: () => servers });
  const ofTools = { webTools, mediaTools, skills, storage, models, configurations, callPolicy, hub, owner: OWNER };
  const serverTools =
    options.hasServerTools === true
      ? await createServerTools({ ...ofTools, schedules: () => schedules, dataDir, clock, ids, log })
      : null;
  shutdown.defer('built-in tools', () => serverTools?.close());
  const functions = new FunctionTools([...(options.functionTools ?? []), ...(serverTools?.groups ?? [])]);
  const ofServers = {
    builtIn: [...options.builtInServers, ...functions.servers],
    functions,
    file: join(dataDir, 'mcp.json'),
    flags: options.flagServers,
    env,
    owner: OWNER,
    settings: storage.settings,
    permissions: storage.permissions,
    secrets,
    signIns: createSignInStore({ repository: storage.signIns, secrets, owner: OWNER, clock }),
    hub: capabilities.servers === 'none' ? hub : (cluster?.hub ?? hub),
    clock,
    log,
  };
  const servers =
    cluster && capabilities.servers === 'none'
      ? await createRemoteServers({ ...ofServers, heartbeat: cluster.heartbeat, client: cluster.client })
      : await createServers({
          ...ofServers,
          ...(cluster ? { part: cluster.part } : {}),
          ...defined({ patienceMs: serversMs }),
        });
  if (servers instanceof RemoteServers) cluster?.show(servers);
  else cluster?.have(servers);
  shutdown.defer('MCP servers', () => servers.close());
  const traced = readTelemetry(env, file.telemetry);
  const telemetry =
    traced && (await import('./telemetry/telemetry.ts')).createTelemetry({ settings: traced, clock, log });
  shutdown.defer('traces', () => telemetry?.close());
  // With port 0 the port is known once the server listens; runs start after that.
  let ownPort = port;
  const policy = () => ({ own: { dataFolder: dataDir, port: ownPort }, resolvePath });
  const titles =
    options.generatesTitles === true
      ? createConversationTitles({
          storage,
          tasks: createPresetTasks({
            storage,
            calls: createHttpModelCalls({ storage, models, configurations, clock, log }),
            configurations,
            models,
            ids,
            clock,
            ...(telemetry ? { telemetry } : {}),
          }),
          hub,
          clock,
          log,
          ...defined({ failpoint }),
        })
      : null;
  const runs = createRunService({
    storage,
    models,
    servers,
    secrets,
    tabs: createTabToolSource({ storage, hub, functions, clock, isConfigured: (id) => servers.isConfigured(id) }),
    functions,
    skills: skills.skills,
    configurations,
    hub,
    clock,
    ids,
    log,
    executesRuns: capabilities.runs,
    ...(cluster && !capabilities.runs ? { tabToolsElsewhere: createRelayedTabTools(cluster) } : {}),
    policy,
    ...(titles ? { titles } : {}),
    ...(relayed ? { wakeElsewhere: (runId: string) => relayed.wake(runId) } : {}),
    ...(metrics ? { metrics } : {}),
    ...(telemetry ? { telemetry } : {}),
    ...defined({ failpoint, leaseMs, takeOverEveryMs, lastCallsMs }),
  });
  if (capabilities.runs) cluster?.serveTabTools(runs.tabTools);
  const mailed = readEmail(env, file.email);
  const webhooks = await createWebhooks({
    storage,
    secrets,
    clock,
    ids,
    log,
    owner: OWNER,
    file: file.webhook,
    email: mailed && createEmailChannel({ settings: mailed, storage, clock }),
  });
  shutdown.defer('webhook deliveries', () => webhooks.close());
  relayed?.start();
  shutdown.defer('titles', () => titles?.close());
  shutdown.defer('runs', () => runs.close());
  const schedules = createSchedules({
    storage,
    runs,
    servers,
    hub,
    clock,
    ids,
    log,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    alone: cluster === null,
    ...defined({ failpoint }),
  });
  shutdown.defer('schedules', () => schedules.close());
  const triggers = createTriggers({
    storage,
    runs,
    servers,
    secrets,
    hub,
    clock,
    ids,
    log,
    alone: cluster === null,
    ...defined({ failpoint }),
  });
  shutdown.defer('incoming webhooks', () => triggers.close());
  const stopping = new AbortController();
  shutdown.defer('sign-ins', () => stopping.abort());
  servers.onSignedIn((id) => {
    retryUntilStored(() => runs.signedIn(OWNER, id), { clock, signal: stopping.signal }).catch((error: unknown) =>
      log(`sign-in: ${messageOf(error)}`),
    );
  });

  const proxy = settings.uiMcpProxy ? createProxy({ allow: settings.proxyAllow, clock }) : null;
  shutdown.defer('proxy requests', () => proxy?.close());

  const folder = capabilities.web && settings.ui ? pageFolder() : null;
  const frames = await startFrames({ ...settings, folder, pagePort: () => ownPort });
  shutdown.defer('frames', () => frames.close());

  let ready = false;
  const app = createHttpApp({
    storage,
    runs,
    tabs: new TabToolBroker({ storage, runs, hub, clock }),
    hub,
    streams: createLiveStreams({ store: storage.runs, hub, clock, boot: ids.next() }),
    models,
    servers,
    policy,
    webhooks,
    schedules,
    triggers,
    webTools,
    mediaTools,
    callPolicy,
    skills: skills.skills,
    configurations,
    clock,
    ids,
    security: {
      host,
      allowHosts: settings.allowHosts,
      tokens: token === null ? null : accessTokens(token, terminalToken),
      urlKeys: urlKeys(secrets),
    },
    proxy,
    capabilities,
    ui: {
      enabled: settings.ui,
      settings: settings.uiSettings,
      folder: pageFolder(),
      signInCommand: options.signInCommand ?? 'toolyard open',
    },
    frames,
    ...(telemetry ? { telemetry } : {}),
    metrics: metrics && (() => metrics.text({ storage, servers })),
    ready: () => ready,
    ...(cluster ? { absentRoles: () => cluster.absentRoles(), isProgram: (id: string) => cluster.isProgram(id) } : {}),
    log,
  });
  const listening = await listen(cluster ? withInternalApi(app, cluster) : app, { host, port, clock });
  shutdown.defer('requests', () => listening.close());
  ownPort = Number(new URL(listening.url).port);
  if (capabilities.web) {
    const addressFile = join(dataDir, ADDRESS_FILE);
    const address = { url: listening.url, pid: process.pid, ...(token === null ? {} : { token: terminalToken }) };
    writePrivate(addressFile, JSON.stringify(address));
    shutdown.defer('the address file', () => rmSync(addressFile, { force: true }));
  }
  if (cluster) {
    shutdown.defer('requests of other processes', () => cluster.stop());
    await cluster.start(settings.internalUrl ?? internalUrl(listening, host));
  }

  await runs.start();
  if (capabilities.runs) {
    webhooks.start();
    schedules.start();
    triggers.start();
  }
  ready = true;
  void secrets.check(OWNER);
  return {
    url: listening.url,
    signInUrl: async () => listening.url + (token === null ? '' : await app.signInPath(OWNER)),
  };
}

function logOrphans(pids: readonly number[], log: (line: string) => void): void {
  if (pids.length === 0) return;
  log(
    `MCP servers: stopped ${pids.length} processes left by a killed Toolyard process (process ids: ${pids.join(', ')})`,
  );
}

/** Null if none is required. A process without the API needs no token of its own: it uses one only for `/metrics`. */
function tokenOf({ token, dataDir, databaseUrl, log }: ServerSettings, hasApi: boolean): string | readonly [] | null {
  if (token !== undefined) return token;
  return databaseUrl !== undefined && !hasApi ? [] : ownToken(dataDir, log);
}

function accessTokens(token: string | readonly [], terminalToken: string): AccessToken[] {
  const terminal: AccessToken = { token: terminalToken, principal: OWNER, via: 'terminal' };
  return typeof token === 'string' ? [{ token, principal: OWNER }, terminal] : [terminal];
}

/**
 * Derived from the key of the installation. A database without TOOLYARD_SECRET has none: each process generates its
 * own.
 */
function urlKeys(secrets: Secrets): () => Promise<readonly [string, ...string[]]> {
  const ofThisProcess = randomCredential();
  return () => secrets.tokens('file urls').catch(() => [ofThisProcess] as const);
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

/** A wildcard address is not reachable from other machines; the host name may be. */
function internalUrl({ url, port }: Listening, host: string): string {
  return /^(0\.0\.0\.0|\[?::\]?)$/.test(host) ? `http://${hostname()}:${port}` : url;
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

/** The built page is in its own package; null if it was not built. */
function pageFolder(): string | null {
  const description = createRequire(import.meta.url).resolve('@toolyard/web/package.json');
  const folder = join(dirname(description), 'build');
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
