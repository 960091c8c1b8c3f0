import { z } from 'zod';
import { notFound } from '../problems.ts';
import type { Router } from '../router.ts';
import { word } from '../schemas/query.ts';
import { changeMcpServer, mcpServerPage, mcpServerView, permissionPage } from '../schemas/servers.ts';
import type { HttpDeps } from '../types.ts';

export function addServerRoutes({ route }: Router, { servers, storage, hub }: HttpDeps): void {
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

  route({
    method: 'get',
    path: '/api/permissions',
    summary: 'What was decided about tools for later; with conversation what counts there',
    query: z.strictObject({ conversation: word.exactOptional() }),
    answer: permissionPage,
    async handle({ principal, query: { conversation } }) {
      const query = conversation === undefined ? {} : { conversationId: conversation };
      return { items: await storage.permissions.list(principal, query) };
    },
  });

  route({
    method: 'delete',
    path: '/api/permissions',
    summary: 'Forget a decision: from then on the tool is asked about again',
    query: z.strictObject({ server: word, tool: word, conversation: word.exactOptional() }),
    async handle({ principal, query: { server, tool, conversation } }) {
      const reference = { serverId: server, name: tool };
      const removed = await storage.permissions.remove(principal, reference, conversation ?? null);
      if (!removed) throw notFound('decision about the tool', `${server}/${tool}`);
      hub.changed(principal.ownerId, 'servers', server);
    },
  });
}
