import type { Router } from '../router.ts';
import { changeMcpServer, mcpServerPage, mcpServerView } from '../schemas/servers.ts';
import type { HttpDeps } from '../types.ts';

export function addServerRoutes({ route }: Router, { servers }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/mcp/servers',
    summary: 'The MCP servers, how they are, and their tools',
    answer: mcpServerPage,
    handle: async ({ principal }) => ({ items: await servers.list(principal) }),
  });

  route({
    method: 'patch',
    path: '/api/mcp/servers/{id}',
    summary: 'Switch a server on or off wherever nobody chose otherwise',
    body: changeMcpServer,
    answer: mcpServerView,
    handle: ({ principal, params: { id }, body }) => servers.change(principal, id, body),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/reconnect',
    summary: 'Connect anew',
    answer: mcpServerView,
    handle: ({ principal, params: { id } }) => servers.reconnect(principal, id),
  });
}
