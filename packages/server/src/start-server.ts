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
import { readConfigFile } from './config/config-file.ts';
import { createConfigurations } from './config/configurations.ts';
import type { ServerOptions, ServerSettings } from './config/server-options.ts';
import { resolveOptions } from './config/server-options.ts';
import { ShutdownStack } from './shutdown-stack.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { randomCredential } from './http/auth/credentials.ts';
import type { Listening } from './http/listen.ts';
import { listen } from './http/listen.ts';
import type { AccessToken } from './http/types.ts';
import { OWNER } from './http/types.ts';
import { createLiveHub } from './live/hub.ts';
import { createClusterHub } from './live/cluster-hub.ts';
import { createLiveStreams } from './live/streams.ts';
import { createServers } from './mcp/servers.ts';
import { createSignInStore } from './mcp/sign-in-store.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createModels } from './models/models.ts';
import { createProxy } from './proxy/proxy.ts';
import { createRunService } from './runs/create-run-service.ts';
import { withInternalApi } from './roles/internal-api.ts';
import type { Role } from './roles/role.ts';
import { roleCapabilities } from './roles/role.ts';
import { ClusterMember } from './roles/cluster-member.ts';
import { createRelayedServers, RelayedServers } from './roles/relayed-servers.ts';
import type { Secrets } from './secrets/secrets.ts';
import { createSecrets } from './secrets/secrets.ts';
import { closeOrWarn, writePrivate } from './secrets/private-file.ts';
import { TabToolBroker } from './tabs/tab-tool-broker.ts';
import { createTabToolSource } from './tabs/tab-tool-source.ts';
import { readTelemetry } from './telemetry/telemetry-settings.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { ADDRESS_FILE, describeLockHolder } from './find-toolyard.ts';
import { retryUntilStored } from './retry-until-stored.ts';

/** A server that answers. */
export type RunningServer = {
  /** Where the page and the API are, without a slash at the end. */
  readonly url: string;
  /** Where the access token lies if this server created it; null if it was supplied, or none is required. */
  readonly tokenFile: string | null;
  /** The URL of the page with a one-time code that signs a browser in; without one if no token is required. */
  signInUrl(): Promise<string>;
  /** Lets requests finish, leaves runs where the next start takes them up, and gives the data folder free. */
  close(): Promise<void>;
  /** What it waits for at the moment while it closes, in a word or two. */
  readonly waitsFor: string | null;
};

/** What a test puts in the place of the real thing. */
export type ServerOverrides = {
  failpoint?: Failpoint;
  /** Stands between the server and what it opened. */
  watchStorage?: (storage: SharedStorage) => SharedStorage;
  /** How long runs and servers stay with a process that shows no sign of life; default 10 s. */
  leaseMs?: number;
  /** How often this process looks for runs whose lease has expired; default 3 s. */
  takeOverEveryMs?: number;
  /** How long a run waits for MCP servers that are connecting; default 10 s. */
  serversMs?: number;
  /** How long calls under way may take when the server is closed; default 5 s. */
  lastCallsMs?: number;
  /** Work of deriving a key from TOOLYARD_SECRET (`N` of scrypt); default 2^15. */
  scryptCost?: number;
};

/**
 * Opens the data folder, answers on the address, and takes up the runs the last process left.
 *
 * @throws ToolyardError where the options, a file of the data folder, the folder itself or the port are not fit for
 * it; nothing is left running then.
 */
export async function startServer(options: ServerOptions, surroundings: ServerOverrides = {}): Promise<RunningServer> {
  resolveOptions(options);
  await using undo = new AsyncDisposableStack();
  const ends = undo.use(new ShutdownStack());
  const server = await assemble(options, surroundings, ends);
  const ending = undo.move();
  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    tokenFile: options.token === undefined ? join(options.dataDir, TOKEN_FILE) : null,
    signInUrl: () => server.signInUrl(),
    close: () => (closing ??= ending.disposeAsync()),
    get waitsFor() {
      return ends.now;
    },
  };
}

/** Puts the parts together; what is to be ended is put on `ends`, to be ended in the reverse order. */
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
  ends: ShutdownStack,
): Promise<{ url: string; signInUrl: () => Promise<string> }> {
  const { dataDir, env, log } = options;
  const clock = systemClock;
  const ids = createUuidSource();
  for (const name of ['config.json', ...DATABASE_FILES]) closeOrWarn(join(dataDir, name), log);
  const file = readConfigFile(join(dataDir, 'config.json'), env);
  const settings = resolveOptions(options, file.flags);
  const { host, port, role } = settings;
  const duties = roleCapabilities(role);

  const opened = await open(settings, { clock, ...defined({ failpoint }) });
  ends.defer('the storage', () => opened.close());
  const token = tokenOf(settings, duties.door);
  // For commands of this user: it is valid as long as this process, and lies beside its address.
  const terminalToken = randomCredential();
  const storage = watchStorage(opened);
  const metrics = settings.metrics ? createMetrics(role) : null;
  ends.defer('metrics', () => metrics?.close());
  const words = 'bulletins' in opened ? opened.bulletins : null;
  const bulletins = words && metrics ? metrics.countedBulletins(words) : words;
  const relayed =
    bulletins &&
    createClusterHub(createLiveHub(), {
      bulletins,
      clock,
      log,
      onWake: (runId) => runs.woken(runId),
      onServers: () => cluster?.look(),
    });
  // What was said last is heard before the connection is closed.
  ends.defer('words to other processes', () => relayed?.flush());
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
  ends.defer('model providers', () => opening.close());
  const models = metrics ? metrics.countedModels(opening) : opening;
  const cluster =
    'processes' in opened
      ? new ClusterMember({
          processes: opened.processes,
          id: ids.next(),
          role,
          owner: OWNER,
          tokens: await wordsOf(secrets, role),
          hub,
          clock,
          log,
          ...defined({ leaseMs, lastCallsMs }),
        })
      : null;
  ends.defer('connections to other processes', () => cluster?.close());
  if (duties.servers !== 'none') tellOrphans(await killOrphans(clock), log);
  const functions = new FunctionTools(options.functionTools ?? []);
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
    hub: duties.servers === 'none' ? hub : (cluster?.hub ?? hub),
    clock,
    log,
  };
  const servers =
    cluster && duties.servers === 'none'
      ? await createRelayedServers({ ...ofServers, heartbeat: cluster.heartbeat, client: cluster.client })
      : await createServers({
          ...ofServers,
          ...(cluster ? { part: cluster.part } : {}),
          ...defined({ patienceMs: serversMs }),
        });
  if (servers instanceof RelayedServers) cluster?.show(servers);
  else cluster?.have(servers);
  ends.defer('MCP servers', () => servers.close());
  const configurations = createConfigurations({
    storage,
    fileDefaults: file.defaults,
    standardModel: (principal) => models.standard(principal),
  });
  const traced = readTelemetry(env, file.telemetry);
  const telemetry =
    traced && (await import('./telemetry/telemetry.ts')).createTelemetry({ settings: traced, clock, log });
  ends.defer('traces', () => telemetry?.close());
  // Known for certain once the server listens; runs begin after that.
  let ownPort = port;
  const runs = createRunService({
    storage,
    models,
    servers,
    secrets,
    tabs: createTabToolSource({ storage, hub, functions, clock, isConfigured: (id) => servers.isConfigured(id) }),
    functions,
    configurations,
    hub,
    clock,
    ids,
    log,
    takesUp: duties.runs,
    policy: () => ({ own: { dataFolder: dataDir, port: ownPort }, resolvePath }),
    ...(relayed ? { wakeElsewhere: (runId: string) => relayed.wake(runId) } : {}),
    ...(metrics ? { metrics } : {}),
    ...(telemetry ? { telemetry } : {}),
    ...defined({ failpoint, leaseMs, takeOverEveryMs, lastCallsMs }),
  });
  const webhooks = await createWebhooks({
    storage,
    secrets,
    clock,
    ids,
    log,
    owner: OWNER,
    file: file.webhook,
  });
  ends.defer('the webhook', () => webhooks.close());
  relayed?.start();
  ends.defer('runs', () => runs.close());
  const stopping = new AbortController();
  ends.defer('sign-ins', () => stopping.abort());
  servers.onSignedIn((id) => {
    retryUntilStored(() => runs.signedIn(OWNER, id), { clock, signal: stopping.signal }).catch((error: unknown) =>
      log(`sign-in: ${messageOf(error)}`),
    );
  });

  const proxy = settings.uiMcpProxy ? createProxy({ allow: settings.proxyAllow, clock }) : null;
  ends.defer('the proxy', () => proxy?.close());

  let ready = false;
  const app = createHttpApp({
    storage,
    runs,
    tabs: new TabToolBroker({ storage, runs, hub, clock }),
    hub,
    streams: createLiveStreams({ store: storage.runs, hub, clock, boot: ids.next() }),
    models,
    servers,
    webhooks,
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
    duties,
    ui: { enabled: settings.ui, settings: settings.uiSettings, folder: pageFolder() },
    ...(telemetry ? { telemetry } : {}),
    metrics: metrics && (() => metrics.text({ storage, servers })),
    ready: () => ready,
    ...(cluster ? { absentRoles: () => cluster.absentRoles(), isProgram: (id: string) => cluster.isProgram(id) } : {}),
    log,
  });
  const listening = await listen(cluster ? withInternalApi(app, cluster) : app, { host, port, clock });
  ends.defer('requests', () => listening.close());
  ownPort = Number(new URL(listening.url).port);
  if (duties.door) {
    const addressFile = join(dataDir, ADDRESS_FILE);
    const address = { url: listening.url, pid: process.pid, ...(token === null ? {} : { token: terminalToken }) };
    writePrivate(addressFile, JSON.stringify(address));
    ends.defer('the address file', () => rmSync(addressFile, { force: true }));
  }
  if (cluster) {
    ends.defer('what other processes have here', () => cluster.stop());
    await cluster.start(settings.internalUrl ?? internalUrl(listening, host));
  }

  await runs.start();
  if (duties.runs) webhooks.start();
  ready = true;
  void secrets.check(OWNER);
  return {
    url: listening.url,
    signInUrl: async () => listening.url + (token === null ? '' : await app.signInPath(OWNER)),
  };
}

function tellOrphans(pids: readonly number[], log: (line: string) => void): void {
  if (pids.length === 0) return;
  log(`ended ${pids.length} processes of MCP servers whose Toolyard was killed (process ids: ${pids.join(', ')})`);
}

/** Null if none is required. A process without API needs none of its own: its only use there is `/metrics`. */
function tokenOf({ token, dataDir, databaseUrl, log }: ServerSettings, hasApi: boolean): string | readonly [] | null {
  if (token !== undefined) return token;
  return databaseUrl !== undefined && !hasApi ? [] : ownToken(dataDir, log);
}

function accessTokens(token: string | readonly [], terminalToken: string): AccessToken[] {
  const terminal: AccessToken = { token: terminalToken, principal: OWNER, via: 'terminal' };
  return typeof token === 'string' ? [{ token, principal: OWNER }, terminal] : [terminal];
}

/** Made of the key of this installation. A database without TOOLYARD_SECRET has none: then each process has its own. */
function urlKeys(secrets: Secrets): () => Promise<readonly [string, ...string[]]> {
  const ofThisProcess = randomCredential();
  return () => secrets.tokens('file urls').catch(() => [ofThisProcess] as const);
}

/** The words by which processes know each other; one that does everything itself can do without. */
async function wordsOf(secrets: Secrets, role: Role): Promise<[string, ...string[]] | null> {
  try {
    return await secrets.tokens('processes');
  } catch (thrown) {
    if (role === 'all') return null;
    throw thrown;
  }
}

/** A wildcard is no address others could go to; the name of the machine may be. */
function internalUrl({ url, port }: Listening, host: string): string {
  return /^(0\.0\.0\.0|\[?::\]?)$/.test(host) ? `http://${hostname()}:${port}` : url;
}

/** Where the folder is open already, says who has it. */
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

/** The built page lies in a package of its own; null where it was not built. */
function pageFolder(): string | null {
  const description = createRequire(import.meta.url).resolve('@toolyard/web/package.json');
  const folder = join(dirname(description), 'build');
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
