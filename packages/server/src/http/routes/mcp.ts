import {
  addMcpServer,
  approveMcpEntry,
  changeMcpServer,
  editMcpServer,
  mcpEntryApproval,
  mcpServerConfiguration,
  mcpServerList,
  mcpServerView,
  mcpTestReport,
  testMcpServer,
} from '@toolyard/protocol/schemas';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

/** The servers themselves: how they are, and what is to be done with them. */
export function addMcpRoutes({ route }: Router, { servers }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/mcp/servers',
    summary: 'The MCP servers, how they are, and their tools',
    answer: mcpServerList,
    handle: ({ principal }) => servers.list(principal),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers',
    summary: 'Add a server: it is written to mcp.json and connects',
    scope: 'servers',
    body: addMcpServer,
    answer: mcpServerView,
    status: 201,
    handle: ({ principal, body }) => servers.add(principal, body),
  });

  route({
    method: 'post',
    path: '/api/mcp/test',
    summary: 'Connect beside the servers that run and tell how it went; nothing is stored',
    scope: 'servers',
    body: testMcpServer,
    answer: mcpTestReport,
    handle: ({ c, principal, body }) => servers.test(principal, body, c.req.raw.signal),
  });

  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/configuration',
    summary: 'How a server stands in mcp.json; secrets are not told',
    scope: 'servers',
    answer: mcpServerConfiguration,
    handle: ({ principal, params: { id } }) => servers.configuration(principal, id),
  });

  route({
    method: 'put',
    path: '/api/mcp/servers/{id}',
    summary: 'Change how a server stands in mcp.json; it connects anew if that matters to it',
    scope: 'servers',
    body: editMcpServer,
    answer: mcpServerView,
    handle: ({ principal, params: { id }, body }) => servers.edit(principal, id, body),
  });

  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/approval',
    summary: 'Get the entry of a local server that needs approval: its exact text, environment included',
    scope: 'servers',
    answer: mcpEntryApproval,
    handle: ({ principal, params: { id } }) => servers.approval(principal, id),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/approval',
    summary: 'Approve the entry with this hash: the server may be started',
    scope: 'servers',
    body: approveMcpEntry,
    answer: mcpServerView,
    handle: ({ principal, params: { id }, body }) => servers.approveEntry(principal, id, body),
  });

  route({
    method: 'patch',
    path: '/api/mcp/servers/{id}',
    summary: 'Switch a server or its tools on or off wherever nobody chose otherwise',
    scope: 'servers',
    body: changeMcpServer,
    answer: mcpServerView,
    handle: ({ principal, params: { id }, body }) => servers.change(principal, id, body),
  });

  route({
    method: 'delete',
    path: '/api/mcp/servers/{id}',
    summary: 'Leave a server and take it out of mcp.json',
    scope: 'servers',
    handle: ({ principal, params: { id } }) => servers.remove(principal, id),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/reconnect',
    summary: 'Connect anew',
    scope: 'servers',
    answer: mcpServerView,
    handle: ({ principal, params: { id } }) => servers.reconnect(principal, id),
  });
}
