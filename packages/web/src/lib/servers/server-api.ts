import type {
  AddMcpServer,
  ApproveMcpEntry,
  EditMcpServer,
  McpEntryApproval,
  McpLogPage,
  McpServerConfiguration,
  McpServerView,
  McpSignInStarted,
  McpTestReport,
  McpToolDetail,
  Page,
  SetPermission,
  TestMcpServer,
  ToolReference,
} from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { servers } from '../state/servers.svelte.ts';

/** What is done with MCP servers beside switching them. Whatever changes one shows in the list when it has resolved. */
export const serverApi = {
  add: (server: AddMcpServer) => changing(api.post<McpServerView>('/api/mcp/servers', server)),
  edit: (id: string, edit: EditMcpServer) => changing(api.put<McpServerView>(path(id), edit)),
  remove: (id: string) => changing(api.delete(path(id))),
  configuration: (id: string) => api.get<McpServerConfiguration>(`${path(id)}/configuration`),
  approval: (id: string) => api.get<McpEntryApproval>(`${path(id)}/approval`),
  approve: (id: string, approved: ApproveMcpEntry) =>
    changing(api.post<McpServerView>(`${path(id)}/approval`, approved)),
  test: (request: TestMcpServer, signal: AbortSignal) => api.post<McpTestReport>('/api/mcp/test', request, { signal }),
  log: (id: string, after: string | null) =>
    api.get<McpLogPage>(`${path(id)}/log${after === null ? '' : `?after=${encodeURIComponent(after)}`}`),
  /** Where the person is to sign in. */
  signIn: (id: string) => api.post<McpSignInStarted>(`${path(id)}/sign-in`),
  signOut: (id: string) => changing(api.delete(`${path(id)}/sign-in`)),
  tools: async (id: string) => (await api.get<Page<McpToolDetail>>(`${path(id)}/tools`)).items,

  /** Null: it is asked about again. */
  async decide(tool: ToolReference, decision: 'allow' | 'never' | null): Promise<void> {
    if (decision === null) return servers.forget({ tool, conversationId: null });
    const permission: SetPermission = { tool, conversationId: null, decision };
    await changing(api.put('/api/permissions', permission));
  },
};

async function changing<T>(request: Promise<T>): Promise<T> {
  const answer = await request;
  await servers.load();
  return answer;
}

function path(id: string): string {
  return `/api/mcp/servers/${encodeURIComponent(id)}`;
}
