import type { AddMcpServer, ApproveMcpEntry, EditMcpServer, TestMcpServer, ToolReference } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { servers } from '../state/servers.svelte.ts';

/**
 * Actions on MCP servers other than switching them on and off. Their effects are in the list once they have resolved.
 */
export const serverApi = {
  add: (server: AddMcpServer) => changing(api.post('/api/mcp/servers', { body: server })),
  edit: (id: string, edit: EditMcpServer) => changing(api.put('/api/mcp/servers/{id}', { params: { id }, body: edit })),
  remove: (id: string) => changing(api.delete('/api/mcp/servers/{id}', { params: { id } })),
  configuration: (id: string) => api.get('/api/mcp/servers/{id}/configuration', { params: { id } }),
  approval: (id: string) => api.get('/api/mcp/servers/{id}/approval', { params: { id } }),
  approve: (id: string, body: ApproveMcpEntry) =>
    changing(api.post('/api/mcp/servers/{id}/approval', { params: { id }, body })),
  test: (body: TestMcpServer, signal: AbortSignal) => api.post('/api/mcp/test', { body, signal }),
  log: (id: string, after: string | null) =>
    api.get('/api/mcp/servers/{id}/log', { params: { id }, query: { after: after ?? undefined } }),
  /** The URL of the sign-in. */
  signIn: (id: string) => api.post('/api/mcp/servers/{id}/sign-in', { params: { id } }),
  signOut: (id: string) => changing(api.delete('/api/mcp/servers/{id}/sign-in', { params: { id } })),
  tools: async (id: string) => (await api.get('/api/mcp/servers/{id}/tools', { params: { id } })).items,

  /** Null: the default approval applies again. */
  async decide(tool: ToolReference, decision: 'allow' | 'never' | null): Promise<void> {
    if (decision === null) return servers.forget({ tool, conversationId: null });
    await changing(api.put('/api/permissions', { body: { tool, conversationId: null, decision } }));
  },
};

async function changing<T>(request: Promise<T>): Promise<T> {
  const answer = await request;
  await servers.load();
  return answer;
}
