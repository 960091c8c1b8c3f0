import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue, Owner } from '@toolyard/protocol';
import { parseJson, systemClock } from '@toolyard/protocol';
import type { Storage, StorageOptions } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { createIds } from '@toolyard/testing';
import { createMediaSettings } from '../../built-in/media/media-settings.ts';
import { createSkills } from '../../built-in/server-tools.ts';
import { createWebSettings } from '../../built-in/web/web-settings.ts';
import { createConfigurations } from '../../config/configurations.ts';
import type { IframesOptions } from '../../iframes/iframes.ts';
import { startIframes } from '../../iframes/iframes.ts';
import { createLiveHub } from '../../live/hub.ts';
import { createLiveStreams } from '../../live/streams.ts';
import type { ConnectedServers } from '../../mcp/servers.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { TabToolBroker } from '../../tabs/tab-tool-broker.ts';
import { createSchedules } from '../../schedules/schedules.ts';
import { createTriggers } from '../../triggers/triggers.ts';
import { createWebhooks } from '../../webhooks/webhooks.ts';
import type { HttpApp } from '../create-http-app.ts';
import { createHttpApp } from '../create-http-app.ts';
import type { Listening } from '../transport/listen.ts';
import { listen } from '../transport/listen.ts';
import type { HttpAppOptions, SecurityOptions, UiOptions } from '../types.ts';
import { OWNER } from '../types.ts';
import { createTestModels, createTestServers } from './providers-and-servers.ts';
import type { TestRuns } from './runs.ts';
import { createTestRuns } from './runs.ts';

export const ANNE = { token: 'token-of-anne', principal: { ownerId: 'anne' } };
export const BERT = { token: 'token-of-bert', principal: { ownerId: 'bert' } };

export type TestResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** The parsed JSON body; null if it is not JSON. */
  json: JsonValue;
};

export type TestRequestOptions = {
  /** Default: GET, or POST with a body. */
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
};

export type TestServer = Listening & {
  storage: Storage;
  runs: TestRuns;
  servers: ConnectedServers;
  app: HttpApp;
  /** The data folder. */
  folder: string;
  logged: string[];
  /** Sends exactly these headers; fetch would add its own. */
  ask: (target: string, options?: TestRequestOptions) => Promise<TestResponse>;
};

export type TestServerOptions = {
  security?: Partial<SecurityOptions>;
  ui?: Partial<UiOptions>;
  /** Frames are off without a folder. */
  frames?: Partial<Pick<IframesOptions, 'folder' | 'frameOrigin' | 'framePort'>>;
  host?: string;
  owner?: Owner;
  storage?: Pick<StorageOptions, 'maxPages'>;
  change?: Partial<HttpAppOptions>;
};

/** The HTTP application on a real socket, with a real database in its own folder. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-http-'));
  const clock = systemClock;
  const storage = await openStorage({ folder, clock, ...options.storage });
  const ids = createIds();
  const hub = createLiveHub();
  const runs = createTestRuns({ storage, hub, clock, ids });
  const logged: string[] = [];
  const host = options.host ?? '127.0.0.1';
  const secrets = keptInMemory();
  const webhooks = await createWebhooks({
    storage,
    secrets,
    clock,
    ids,
    log: (line) => logged.push(line),
    owner: options.owner ?? OWNER,
    file: null,
    email: null,
  });
  const security = {
    host,
    allowHosts: [],
    tokens: null,
    urlKeys: (): Promise<[string]> => Promise.resolve(['key of file URLs']),
    ...options.security,
  };
  let pagePort = 0;
  const frames = await startIframes({
    ...security,
    ...options.frames,
    port: 0,
    folder: options.frames?.folder ?? null,
    pagePort: () => pagePort,
  });
  const servers = await createTestServers(storage, { folder, hub, owner: options.owner ?? OWNER });
  const log = (line: string): void => void logged.push(line);
  const app = createHttpApp({
    storage,
    runs,
    tabs: new TabToolBroker({ storage, runs, hub, clock }),
    hub,
    streams: createLiveStreams({ store: storage.runs, hub, clock, boot: 'boot-1' }),
    models: createTestModels(),
    servers,
    webhooks,
    schedules: createSchedules({ storage, runs, servers, hub, clock, ids, log, timeZone: 'UTC' }),
    triggers: createTriggers({ storage, runs, servers, secrets, hub, clock, ids, log }),
    skills: createSkills({ settings: storage.settings, dataDir: folder, clock, servers: () => servers }).skills,
    webTools: createWebSettings({ settings: storage.settings, secrets, clock }),
    mediaTools: createMediaSettings({ settings: storage.settings, clock }),
    configurations: createConfigurations({ storage, fileDefaults: {}, standardModel: async () => null }),
    clock,
    ids,
    security,
    frames,
    proxy: null,
    metrics: null,
    ui: { enabled: true, settings: {}, folder: null, signInCommand: 'toolyard open', ...options.ui },
    ready: () => true,
    log,
    ...options.change,
  });
  const listening = await listen(app, { host, port: 0, clock: options.change?.clock ?? clock });
  pagePort = listening.port;
  return {
    ...listening,
    storage,
    runs,
    servers,
    app,
    folder,
    logged,
    ask: (target, asked) => ask(listening, target, asked),
    async close() {
      await listening.close();
      await frames.close();
      await webhooks.close();
      await servers.close();
      storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Secrets in plain text, for tests that inspect them. */
function keptInMemory(): Pick<Secrets, 'get' | 'set' | 'remove' | 'names'> {
  const kept = new Map<string, string>();
  const getKey = ({ ownerId }: Owner, name: string): string => `${ownerId} ${name}`;
  return {
    get: async (principal, name) => kept.get(getKey(principal, name)) ?? null,
    set: async (principal, name, text) => void kept.set(getKey(principal, name), text),
    remove: async (principal, name) => void kept.delete(getKey(principal, name)),
    names: async (principal, prefix = '') => {
      const start = getKey(principal, prefix);
      return [...kept.keys()]
        .filter((key) => key.startsWith(start))
        .map((key) => key.slice(getKey(principal, '').length));
    },
  };
}

export function as({ token }: { token: string }): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function ask({ url, port }: Listening, target: string, options: TestRequestOptions = {}): Promise<TestResponse> {
  const { json, headers = {} } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  const ofJson = json === undefined ? {} : { 'content-type': 'application/json' };
  // For DELETE, Node would send the body without a Content-Length.
  const ofBody = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: new URL(url).hostname.replace(/[[\]]/g, ''),
        port,
        path: target,
        method,
        headers: { ...ofJson, ...ofBody, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          const parsed = parseJson(text);
          const { statusCode = 0 } = response;
          resolve({
            status: statusCode,
            headers: response.headers,
            bytes,
            text,
            json: parsed.ok ? parsed.value : null,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
