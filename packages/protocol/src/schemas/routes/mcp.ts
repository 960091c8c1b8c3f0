import {
  addMcpServerBody,
  editMcpServerBody,
  mcpServerConfiguration,
  mcpTestReport,
  testMcpServerBody,
} from '../mcp-configuration.ts';
import {
  approveMcpEntryBody,
  changeMcpServerBody,
  mcpEntryApproval,
  mcpServerList,
  mcpServerView,
} from '../mcp-servers.ts';
import { defineRoutes } from './define-routes.ts';

export const mcpRoutes = defineRoutes({
  'GET /api/mcp/servers': { summary: 'The MCP servers, how they are, and their tools', answer: mcpServerList },
  'POST /api/mcp/servers': {
    summary: 'Add a server: it is written to mcp.json and connects',
    scope: 'servers',
    body: addMcpServerBody,
    answer: mcpServerView,
    status: 201,
  },
  'POST /api/mcp/test': {
    summary: 'Connect beside the servers that run and tell how it went; nothing is stored',
    scope: 'servers',
    body: testMcpServerBody,
    answer: mcpTestReport,
  },
  'GET /api/mcp/servers/{id}/configuration': {
    summary: 'How a server stands in mcp.json; secrets are not told',
    scope: 'servers',
    answer: mcpServerConfiguration,
  },
  'PUT /api/mcp/servers/{id}': {
    summary: 'Change how a server stands in mcp.json; it connects anew if that matters to it',
    scope: 'servers',
    body: editMcpServerBody,
    answer: mcpServerView,
  },
  'GET /api/mcp/servers/{id}/approval': {
    summary: 'Get the entry of a local server that needs approval: its exact text, environment included',
    scope: 'servers',
    answer: mcpEntryApproval,
  },
  'POST /api/mcp/servers/{id}/approval': {
    summary: 'Approve the entry with this hash: the server may be started',
    scope: 'servers',
    body: approveMcpEntryBody,
    answer: mcpServerView,
  },
  'PATCH /api/mcp/servers/{id}': {
    summary: 'Switch a server or its tools on or off wherever nobody chose otherwise',
    scope: 'servers',
    body: changeMcpServerBody,
    answer: mcpServerView,
  },
  'DELETE /api/mcp/servers/{id}': { summary: 'Leave a server and take it out of mcp.json', scope: 'servers' },
  'POST /api/mcp/servers/{id}/reconnect': { summary: 'Connect anew', scope: 'servers', answer: mcpServerView },
});
