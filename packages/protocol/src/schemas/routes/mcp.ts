import {
  addMcpServerBody,
  editMcpServerBody,
  mcpPlugin,
  mcpServerConfiguration,
  mcpTestReport,
  setMcpPluginBody,
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
  'GET /api/mcp/servers': { summary: 'List MCP servers with their status and tools', answer: mcpServerList },
  'POST /api/mcp/servers': {
    summary: 'Add a server to mcp.json and connect it',
    scope: 'servers',
    body: addMcpServerBody,
    answer: mcpServerView,
    status: 201,
  },
  'POST /api/mcp/test': {
    summary: 'Test the connection to a server without storing it',
    scope: 'servers',
    body: testMcpServerBody,
    answer: mcpTestReport,
  },
  'GET /api/mcp/servers/{id}/configuration': {
    summary: 'Get the entry of a server in mcp.json, without its secrets',
    scope: 'servers',
    answer: mcpServerConfiguration,
  },
  'PUT /api/mcp/servers/{id}': {
    summary: 'Change the entry of a server in mcp.json; reconnects if needed',
    scope: 'servers',
    body: editMcpServerBody,
    answer: mcpServerView,
  },
  'GET /api/mcp/servers/{id}/plugin': {
    summary: 'Get a legacy plugin with the schema of its settings, without secrets',
    scope: 'servers',
    answer: mcpPlugin,
  },
  'PUT /api/mcp/servers/{id}/plugin': {
    summary: 'Store the settings of a legacy plugin, encrypted',
    scope: 'servers',
    body: setMcpPluginBody,
    answer: mcpPlugin,
  },
  'GET /api/mcp/servers/{id}/approval': {
    summary: 'Get the entry of a local server that awaits approval: its exact text, including environment variables',
    scope: 'servers',
    answer: mcpEntryApproval,
  },
  'POST /api/mcp/servers/{id}/approval': {
    summary: 'Approve the entry with this hash, so that the server can start',
    scope: 'servers',
    body: approveMcpEntryBody,
    answer: mcpServerView,
  },
  'PATCH /api/mcp/servers/{id}': {
    summary: 'Enable or disable a server or its tools by default',
    scope: 'servers',
    body: changeMcpServerBody,
    answer: mcpServerView,
  },
  'DELETE /api/mcp/servers/{id}': { summary: 'Disconnect a server and remove it from mcp.json', scope: 'servers' },
  'POST /api/mcp/servers/{id}/reconnect': { summary: 'Reconnect a server', scope: 'servers', answer: mcpServerView },
});
