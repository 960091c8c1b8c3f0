import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { ADDRESS_FILE } from '../find-toolyard.ts';
import { startIframes } from '../iframes/iframes.ts';
import { randomCredential } from '../http/auth/credentials.ts';
import { createHttpApp } from '../http/create-http-app.ts';
import type { Listening } from '../http/transport/listen.ts';
import { listen } from '../http/transport/listen.ts';
import type { AccessToken } from '../http/types.ts';
import { OWNER } from '../http/types.ts';
import { createLiveStreams } from '../live/streams.ts';
import { createProxy } from '../proxy/proxy.ts';
import { releaseMemoryWhenIdle } from '../release-memory.ts';
import { withInternalApi } from '../roles/internal-api.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { writePrivate } from '../secrets/private-file.ts';
import type { ShutdownStack } from '../shutdown-stack.ts';
import { TabToolBroker } from '../tabs/tab-tool-broker.ts';
import type { Services } from './create-services.ts';
import type { Stores } from './open-stores.ts';

/** Where a browser finds the page, and the path that signs one in. */
export type ServedHttp = { url: string; signInUrl: () => Promise<string> };

/** Serves the API, announces this process to the others, and resumes runs and schedules. */
export async function serveHttp(stores: Stores, services: Services, shutdown: ShutdownStack): Promise<ServedHttp> {
  const { options, settings, capabilities, clock, ids, log, token, storage, hub, secrets, metrics, cluster } = stores;
  const { runs, servers, webhooks, schedules, triggers, telemetry, port: ownPort, ...others } = services;
  const { host, port } = settings;
  const proxy = settings.uiMcpProxy ? createProxy({ allow: settings.proxyAllow, clock }) : null;
  shutdown.defer('proxy requests', () => proxy?.close());
  const folder = capabilities.web && settings.ui ? pageFolder() : null;
  const frames = await startIframes({ ...settings, folder, pagePort: () => ownPort.get() });
  shutdown.defer('frames', () => frames.close());

  let ready = false;
  // For commands of the same user: valid until this process exits, stored beside its URL.
  const terminalToken = randomCredential();
  const app = createHttpApp({
    ...others,
    storage,
    runs,
    tabs: new TabToolBroker({ storage, runs, hub, clock }),
    hub,
    streams: createLiveStreams({ store: storage.runs, hub, clock, boot: ids.next() }),
    models: stores.models,
    servers,
    webhooks,
    schedules,
    triggers,
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
  ownPort.set(listening.port);
  if (capabilities.web) {
    const addressFile = join(options.dataDir, ADDRESS_FILE);
    const address = { url: listening.url, pid: process.pid, ...(token === null ? {} : { token: terminalToken }) };
    writePrivate(addressFile, JSON.stringify(address));
    shutdown.defer('the address file', () => rmSync(addressFile, { force: true }));
  }
  if (cluster) {
    shutdown.defer('requests of other processes', () => cluster.stop());
    await cluster.start(settings.internalUrl ?? internalUrl(listening, host));
  }

  shutdown.defer('memory', releaseMemoryWhenIdle(clock));
  await runs.start();
  if (capabilities.runs) for (const service of [webhooks, schedules, triggers]) service.start();
  ready = true;
  void secrets.check(OWNER);
  return {
    url: listening.url,
    signInUrl: async () => listening.url + (token === null ? '' : await app.signInPath(OWNER)),
  };
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

/** A wildcard address is not reachable from other machines; the host name may be. */
function internalUrl({ url, port }: Listening, host: string): string {
  return /^(0\.0\.0\.0|\[?::\]?)$/.test(host) ? `http://${hostname()}:${port}` : url;
}

/** The built page is in its own package; null if it was not built. */
function pageFolder(): string | null {
  const description = createRequire(import.meta.url).resolve('@toolyard/web/package.json');
  const folder = join(dirname(description), 'build');
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
