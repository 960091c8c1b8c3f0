import type { McpPlugin, McpServerView, ProviderView } from '@toolyard/protocol';
import { createDemoRuntime } from '@toolyard/model-runtime';
import { systemClock, ToolyardError } from '@toolyard/protocol';
import type { Models, Servers } from '../../services.ts';

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
    facts: async () => ({}),
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

const PLUGIN: McpPlugin = {
  title: 'files',
  kind: 'default',
  source: 'manifest',
  notes: [],
  schema: null,
  values: {},
  secrets: [],
};
const TOOL = { tool: { serverId: 'files', name: 'delete' }, name: 'delete' };

/** One MCP server that belongs to one owner. */
export function createTestServers(ownerId: string): Servers {
  const server: McpServerView = {
    id: 'files',
    state: 'ready',
    enabled: true,
    builtIn: false,
    origin: 'file',
    transport: { type: 'stdio', command: 'files-server' },
    editable: true,
    phases: [],
    offers: { tools: 1 },
    tokens: 10,
    tools: [{ ...TOOL, readOnly: false, permission: null, enabled: true, tokens: 10 }],
    skipped: [],
    log: [],
  };
  const find = (principal: { ownerId: string }, id: string): McpServerView => {
    if (principal.ownerId === ownerId && id === server.id) return server;
    throw new ToolyardError({ code: 'not_found', message: 'There is no such server.' });
  };
  return {
    list: async (principal) => ({ items: principal.ownerId === ownerId ? [server] : [] }),
    async change(principal, id, { enabled }) {
      const found = find(principal, id);
      if (enabled !== undefined) found.enabled = enabled;
      return found;
    },
    skills: async () => ({ skills: [], skipped: [] }),
    skillFile: async () => '',
    reconnect: async (principal, id) => find(principal, id),
    approve() {},
    unsandboxed: async (chosen = {}) => [server.id].filter((id) => chosen[id] ?? true),
    onSignedIn() {},
    async signIn(principal, id, redirectUrl) {
      const back = encodeURIComponent(redirectUrl);
      return {
        url: `https://accounts.example/${find(principal, id).id}?back=${back}`,
        issuer: 'https://accounts.example',
      };
    },
    async finishSignIn({ state, error }) {
      if (error !== undefined)
        throw new ToolyardError({ code: 'server_refused', message: `<b>${error}</b> was said.` });
      if (state === 'ours') return server.id;
      throw new ToolyardError({
        code: 'not_found',
        message: 'This sign-in was not begun here.',
        hint: 'Begin it again.',
      });
    },
    signOut: async (principal, id) => find(principal, id),
    async add(principal, { id }) {
      if (id !== server.id) return { ...server, id };
      throw new ToolyardError({ code: 'conflict', message: `There is a server "${principal.ownerId}" already.` });
    },
    configuration: async (principal, id) => ({
      id: find(principal, id).id,
      transport: { type: 'stdio', command: 'files-server', env: { KEY: { secret: true } } },
      enabled: true,
      disabledTools: [],
      callTimeoutMs: null,
      connectTimeoutMs: null,
      processes: null,
      maxConcurrentCalls: null,
    }),
    edit: async (principal, id) => find(principal, id),
    plugin: async (principal, id) => ({ ...PLUGIN, title: find(principal, id).id }),
    setPlugin: async (principal, id, { values }) => ({ ...PLUGIN, title: find(principal, id).id, values }),
    approval: async (principal, id) => ({
      id: find(principal, id).id,
      file: 'mcp.json',
      line: 3,
      text: '{}',
      hash: 'h',
      isNew: true,
      contacts: [],
      variables: [],
    }),
    approveEntry: async (principal, id) => find(principal, id),
    async remove(principal, id) {
      find(principal, id);
    },
    test: async () => ({
      ok: true,
      transport: { type: 'stdio', command: 'files-server' },
      durationMs: 12,
      phases: [{ phase: 'listing', durationMs: 3 }],
      offers: { tools: 1, resources: 0, templates: 0, prompts: 0 },
      tokens: 10,
      tools: [{ name: 'delete', tokens: 10, readOnly: false }],
      skipped: [],
      findings: [{ level: 'note', about: 'delete', text: 'No description.' }],
      log: [],
    }),
    async log(principal, id) {
      find(principal, id);
      const event = { id: 'e1', kind: 'event', at: 1, phase: 'connected', level: 'info', text: 'connected' } as const;
      const message = { id: 'm1', kind: 'message', at: 2, direction: 'sent', message: 'request', text: '{}' } as const;
      return { items: [event, { ...message, method: 'tools/list', requestId: 1 }], next: '1.1' };
    },
    async tools(principal, id) {
      const { tools } = find(principal, id);
      const forModels = tools.map((each) => ({
        ...each,
        tool: { ...each.tool, name: `${each.tool.name}-for-models` },
        ui: { visibility: ['model' as const] },
      }));
      return [...tools, ...forModels].map((tool) => ({ ...tool, inputSchema: { type: 'object' } }));
    },
    async call(principal, id, { tool }) {
      find(principal, id);
      return { content: [{ type: 'text', text: tool }], isError: false, outcome: 'done' };
    },
    async testTool(principal, id, { tool }) {
      find(principal, id);
      const content = [{ type: 'text' as const, text: tool }];
      return { result: { content, isError: false, outcome: 'done' }, durationMs: 3, raw: { content } };
    },
    async tasks(principal, id) {
      find(principal, id);
      return { items: [{ taskId: 't1', status: 'working', tool: 'delete', createdAt: 1 }] };
    },
    async taskResult(principal, id, taskId) {
      find(principal, id);
      return { content: [{ type: 'text', text: taskId }], isError: false, outcome: 'done' };
    },
    async cancelTask(principal, id, taskId) {
      find(principal, id);
      return { items: [{ taskId, status: 'cancelled' }] };
    },
    async icon(principal, id) {
      find(principal, id);
      return { src: 'data:image/png;base64,' };
    },
    async followResources(principal, id, uris) {
      find(principal, id);
      return { renewAfterMs: 60_000, items: uris.map((uri) => ({ uri, version: 'a.1' })) };
    },
    async resources(principal, id) {
      return [{ uri: `files://${find(principal, id).id}`, name: 'a', size: 3 }];
    },
    async templates(principal, id) {
      return [{ uriTemplate: `files://${find(principal, id).id}/{name}`, name: 'a' }];
    },
    async app(principal, id, uri) {
      const html = `<p>${find(principal, id).id}</p>`;
      return { uri, html, connect: [], resources: [], frames: [], baseUris: [], permissions: [] };
    },
    read: async (principal, id, { uri }) => ({ contents: [{ type: 'resource', uri, text: find(principal, id).id }] }),
    prompts: async () => ({
      items: [{ serverId: 'files', name: 'p', arguments: [{ name: 'x', required: true }] }],
      failures: [{ serverId: 'other', error: { code: 'timed_out', message: 'It did not answer.' } }],
    }),
    async getPrompt(principal, id, { name }) {
      find(principal, id);
      return { messages: [{ role: 'user', content: { type: 'text', text: name } }] };
    },
    async complete(principal, id, { argument }) {
      find(principal, id);
      return { values: [`${argument.value}s`], hasMore: false };
    },
    select: () => Promise.reject(new Error('no test of the door selects tools')),
    close: async () => {},
  };
}
