import type { EraRecord, ServerRequestHandlers } from '@toolyard/mcp-host';
import { createWebTransports, inspectServer, McpHost } from '@toolyard/mcp-host';
import type { JsonValue, McpTestReport } from '@toolyard/protocol';
import { defined, isJsonObject, systemClock, ToolyardError, VERSION } from '@toolyard/protocol';
import { browserValueFamily } from '../browser-storage.ts';
import { adviceFor } from './preflight.ts';
import { storedServers } from './stored-servers.ts';
import { createProxiedTransport, fetchThroughProxy } from './proxy.ts';
import { checkDraft, storeServerDraft } from './server-drafts.ts';
import { newServerId, toServerConfig } from './server-entries.ts';
import { callbackUrl, receiveSignIns } from './sign-in-callback.ts';
import { guardSignIn } from './sign-in-guard.ts';
import { createBrowserSignInStore } from './sign-in-store.ts';
import { openTabNetwork } from './tab-network.ts';
import type { BrowserServerDraft } from './types.ts';

export const tabNetwork = openTabNetwork();
const direct = createWebTransports({ fetch: tabNetwork.fetch, openWebSocket: tabNetwork.openWebSocket });

export { definitionTokens } from '@toolyard/mcp-host';

/** The MCP host of this tab, without servers yet. */
export function createTabHost(usesProxy: (serverId: string) => boolean): McpHost {
  const host = new McpHost({
    servers: [],
    origin: 'tab',
    createTransport: (config, context) =>
      (usesProxy(context.serverId) ? createProxiedTransport : direct)(config, context),
    signIn: {
      store: createBrowserSignInStore(
        (id) => storedServers.read().entries.find((one) => one.id === id)?.keepSecrets === true,
      ),
      fetchFor: ({ id, transport }) =>
        guardSignIn('url' in transport ? (transport.url ?? '') : '', (input, init) =>
          (usesProxy(id) ? fetchThroughProxy : tabNetwork.fetch)(input, init),
        ),
      introduction: { name: 'Toolyard' },
    },
    handlers: NO_USER,
    ...hostDefaults,
  });
  receiveSignIns(host);
  return host;
}

/** Discovers the authorization server of a server of this browser. @throws ToolyardError */
export async function beginSignIn(host: McpHost, id: string): Promise<{ url: string }> {
  const { authorizationUrl } = await host.signIn(id, { redirectUrl: callbackUrl() });
  return { url: authorizationUrl };
}

/** Connects once with a draft, lists its offers and disconnects. */
export async function testServer(draft: BrowserServerDraft, signal?: AbortSignal): Promise<McpTestReport> {
  checkDraft(draft);
  // Errors name the server.
  const id = newServerId(draft.name, []);
  const { entry, secrets } = storeServerDraft(id, { ...draft, keepSecrets: true, enabled: true });
  const report = await inspectServer({
    config: toServerConfig(entry, secrets),
    createTransport: draft.useProxy ? createProxiedTransport : direct,
    ...hostDefaults,
    ...defined({ signal }),
  });
  // A browser does not expose why a connection was rejected.
  if (report.ok || draft.useProxy || draft.transport === 'websocket') return report;
  const advice = await adviceFor(draft.url, Object.keys(draft.headers), signal);
  return { ...report, findings: [...advice.map((text) => ({ level: 'warning' as const, text })), ...report.findings] };
}

/** The protocol era of each server, so that a start needs no probe. */
const eras = browserValueFamily<JsonValue>('mcp-eras', {
  version: 1,
  read: (value) => value,
  fallback: null,
  keep: 100,
});

/**
 * Declares client capabilities to servers. Requests are answered by the run of a call; outside of a call they are
 * declined.
 */
const NO_USER: ServerRequestHandlers = {
  apps: true,
  form: () => Promise.resolve({ action: 'cancel' }),
  url: () => Promise.resolve('cancel'),
  sampling: () =>
    Promise.reject(
      new ToolyardError({ code: 'refused', message: 'Sampling is available only during a tool call of a run.' }),
    ),
};

const hostDefaults = {
  clock: systemClock,
  clientInfo: { name: 'toolyard', title: 'Toolyard', version: VERSION },
  eraMemory: {
    get: (key: string) => readEra(eras.get(key)),
    set: (key: string, record: EraRecord) => eras.set(key, { ...record }),
    delete: (key: string) => eras.set(key, null),
  },
};

function readEra(value: JsonValue): EraRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const { era, at, protocolVersion, transport } = value;
  if ((era !== 'legacy' && era !== 'modern') || typeof at !== 'number') return undefined;
  return {
    era,
    at,
    ...(typeof protocolVersion === 'string' ? { protocolVersion } : {}),
    ...(transport === 'sse' ? { transport } : {}),
  };
}
