import type { Attachment, CreateTransport, EraRecord } from '@toolyard/mcp-host';
import { createWebTransports, McpHost, ResourceDraft } from '@toolyard/mcp-host';
import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, systemClock, ToolyardError, VERSION } from '@toolyard/protocol';
import { storedFamily } from '../browser-storage.ts';
import { uuid } from '../transcript/uuid.ts';
import { adviceFor } from './preflight.ts';
import { fetchThroughProxy, openWebSocketThroughProxy } from './proxy.ts';
import { checkDraft, keepDraft } from './server-drafts.ts';
import { toServerConfig } from './server-entries.ts';
import { openTabNetwork } from './tab-network.ts';
import type { BrowserServerDraft, BrowserServerTest } from './types.ts';

/** A program may be started by Toolyard, but nobody tries ten times where a person is looking at a card. */
const TEST_ID = 'browser-test';

const network = openTabNetwork();
const direct = createWebTransports({ fetch: network.fetch, openWebSocket: network.openWebSocket });
const proxied = createWebTransports({ fetch: fetchThroughProxy, openWebSocket: openWebSocketThroughProxy });

/** The MCP host of this tab, without servers yet. */
export function createTabHost(usesProxy: (serverId: string) => boolean): McpHost {
  return makeHost((config, context) => (usesProxy(context.serverId) ? proxied : direct)(config, context));
}

/** Connects once with a draft, lists what is there, and leaves. */
export async function testServer(draft: BrowserServerDraft, signal?: AbortSignal): Promise<BrowserServerTest> {
  checkDraft(draft);
  const { entry, secrets } = keepDraft(TEST_ID, { ...draft, enabled: true });
  await using host = makeHost(draft.useProxy ? proxied : direct);
  host.add(toServerConfig(entry, secrets));
  const stop = (): void => void host.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const failed = await host.connect(TEST_ID).then(
      () => false,
      () => true,
    );
    const [health] = host.health();
    if (health === undefined) throw new ToolyardError({ code: 'cancelled', message: 'The test was stopped.' });
    const isBlocked = failed && !draft.useProxy && draft.transport !== 'websocket';
    const advice = isBlocked ? await adviceFor(draft.url, Object.keys(draft.headers), signal) : [];
    return { health, tools: [...host.tools()], advice };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** What is attached to the message one conversation is about to send. */
export function createResourceDraft(
  host: McpHost,
  onChange: (attachments: readonly Attachment[]) => void,
): ResourceDraft {
  const draft: ResourceDraft = new ResourceDraft({
    store: host.resources,
    ids: { next: () => uuid() },
    onChange: () => onChange(draft.attachments),
  });
  return draft;
}

function makeHost(createTransport: CreateTransport): McpHost {
  return new McpHost({
    servers: [],
    createTransport,
    clock: systemClock,
    clientInfo: { name: 'toolyard', title: 'Toolyard', version: VERSION },
    eraMemory: {
      get: (key) => readEra(eras.get(key)),
      set: (key, record) => eras.set(key, { ...record }),
      delete: (key) => eras.set(key, null),
    },
  });
}

/** Which generation of MCP each server spoke, so that a start costs no probe. */
const eras = storedFamily<JsonValue>('mcp-eras', { version: 1, read: (value) => value, fallback: null, keep: 100 });

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
