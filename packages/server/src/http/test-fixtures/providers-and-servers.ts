import type { McpServerView, ProviderView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Models, Servers } from '../../services.ts';

/** Providers kept in memory, each owner's own. */
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
      return { models, failures: [], standard: null };
    },
    open: () => Promise.reject(new Error('no test of the door opens a model')),
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

/** One MCP server, which belongs to one owner. */
export function createTestServers(ownerId: string): Servers {
  const server: McpServerView = {
    id: 'files',
    state: 'ready',
    enabled: true,
    builtIn: false,
    origin: 'file',
    transport: { type: 'stdio', command: 'files-server' },
    tools: [{ tool: { serverId: 'files', name: 'delete' }, readOnly: false, permission: null }],
    skipped: [],
    log: [],
  };
  const find = (principal: { ownerId: string }, id: string): McpServerView => {
    if (principal.ownerId === ownerId && id === server.id) return server;
    throw new ToolyardError({ code: 'not_found', message: 'There is no such server.' });
  };
  return {
    list: async (principal) => (principal.ownerId === ownerId ? [server] : []),
    async change(principal, id, { enabled }) {
      const found = find(principal, id);
      found.enabled = enabled;
      return found;
    },
    reconnect: async (principal, id) => find(principal, id),
    approve() {},
    onSignedIn() {},
    select: () => Promise.reject(new Error('no test of the door selects tools')),
    close: async () => {},
  };
}
