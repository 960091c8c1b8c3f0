import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import { createDemoRuntime } from '@toolyard/model-runtime';
import type { Owner, ProviderView } from '@toolyard/protocol';
import { systemClock, ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import type { McpBehaviour } from '@toolyard/testing';
import { scriptedMcpCommand } from '@toolyard/testing';
import type { ConnectedServers } from '../../mcp/servers.ts';
import { createServers } from '../../mcp/servers.ts';
import type { ServersOptions } from '../../mcp/servers-options.ts';
import { EVERYTHING_APPROVED } from '../../mcp/test-fixtures/everything-approved.ts';
import type { Models } from '../../services.ts';

/** Providers in memory, separate for each owner. */
export function createTestModels(): Models {
  const kept = new Map<string, ProviderView[]>();
  const of = (ownerId: string): ProviderView[] => {
    const known = kept.get(ownerId) ?? [];
    kept.set(ownerId, known);
    return known;
  };
  const find = (ownerId: string, id: string): ProviderView => {
    const provider = of(ownerId).find((each) => each.id === id);
    if (provider) return provider;
    throw new ToolyardError({ code: 'not_found', message: 'There is no such provider.' });
  };
  return {
    async list({ ownerId }, { refresh = false } = {}) {
      const models = of(ownerId).map(({ id, label }) => ({
        providerId: id,
        providerLabel: label,
        modelId: refresh ? 'asked-again' : 'known',
      }));
      return { models, failures: [], defaultModel: null };
    },
    async open({ ownerId }, { providerId }) {
      find(ownerId, providerId);
      return createDemoRuntime({ clock: systemClock, newId: () => 'id' });
    },
    price: async () => undefined,
    abilities: async () => ({}),
    providers: async ({ ownerId }) => of(ownerId),
    known: async () => [],
    async create({ ownerId }, { id = 'made-up', label, baseUrl, apiKey, wire = 'openai-chat' }) {
      const provider: ProviderView = { id, label, origin: 'settings', baseUrl, hasKey: apiKey !== undefined, wire };
      of(ownerId).push(provider);
      return provider;
    },
    async change({ ownerId }, id, { label, baseUrl, apiKey }) {
      const provider = find(ownerId, id);
      if (label !== undefined) provider.label = label;
      if (baseUrl !== undefined) provider.baseUrl = baseUrl;
      if (apiKey !== undefined) provider.hasKey = apiKey !== null;
      return provider;
    },
    async remove({ ownerId }, id) {
      of(ownerId).splice(of(ownerId).indexOf(find(ownerId, id)), 1);
    },
    async test(_principal, { baseUrl }) {
      if (!baseUrl.includes('bad')) return { ok: true, models: ['one', 'two'] };
      return { ok: false, error: { code: 'network', message: 'Nothing answers there.' } };
    },
  };
}

const FILES: McpBehaviour = {
  tools: [
    { name: 'delete', does: [{ do: 'text', text: 'delete' }] },
    { name: 'delete-for-models', _meta: { ui: { visibility: ['model'] } } },
  ],
};

/** The MCP server `files`, which is started by the first request to it. */
export function createTestServers(
  { settings, permissions }: Pick<Storage, 'settings' | 'permissions'>,
  of: { folder: string; owner: Owner; hub: ServersOptions['hub'] },
): Promise<ConnectedServers> {
  const { folder, owner, hub } = of;
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { files: scriptedMcpCommand(FILES) } }), { mode: 0o600 });
  return createServers({
    builtIn: [],
    file,
    flags: [],
    env: {},
    owner,
    settings,
    permissions,
    approvals: EVERYTHING_APPROVED,
    signIns: createMemoryAuthStore(),
    hub,
    clock: systemClock,
    log: () => undefined,
    eager: false,
  });
}
