import { z } from 'zod';
import {
  callFromMcpAppBody,
  callMcpToolBody,
  completeMcpArgumentBody,
  followMcpResourcesBody,
  getMcpPromptBody,
  mcpAppCall,
  mcpAppDocument,
  mcpCompletion,
  mcpFilledPrompt,
  mcpFollowedResources,
  mcpLogPage,
  mcpPromptList,
  mcpResourceContents,
  mcpResourcePage,
  mcpTaskBody,
  mcpTaskList,
  mcpTemplatePage,
  mcpToolTest,
  readMcpResourceBody,
  testMcpToolBody,
} from '../mcp-offers.ts';
import { mcpServerIcon, mcpToolPage } from '../mcp-servers.ts';
import { toolResult } from '../parts.ts';
import { queryLimit, queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

const pageQuery = z.strictObject({ after: z.coerce.number().int().min(0).default(0), limit: queryLimit(500) });

export const mcpOffersRoutes = defineRoutes({
  'GET /api/mcp/servers/{id}/log': {
    summary: 'Get the log of a server: its events and wire messages; `after` is the position to read from',
    query: z.strictObject({ after: queryText.exactOptional() }),
    answer: mcpLogPage,
  },
  'GET /api/mcp/servers/{id}/icon': {
    summary: 'Get the icon that a server sent, fetched and checked by Toolyard',
    answer: mcpServerIcon,
  },
  'GET /api/mcp/servers/{id}/tools': {
    summary: 'List the tools of a server with their schemas',
    query: pageQuery,
    answer: mcpToolPage,
  },
  'POST /api/mcp/servers/{id}/tools/call': {
    summary: 'Call a tool by hand, without a model',
    scope: 'approve',
    body: callMcpToolBody,
    answer: toolResult,
  },
  'POST /api/mcp/servers/{id}/tools/test': {
    summary: 'Test a tool: call it as its user, checked like calls of models, with the raw response and timing',
    scope: 'approve',
    body: testMcpToolBody,
    answer: mcpToolTest,
  },
  'GET /api/mcp/servers/{id}/tasks': {
    summary: 'List the tasks of a server with their status',
    answer: mcpTaskList,
  },
  'POST /api/mcp/servers/{id}/tasks/result': {
    summary: 'Get the result of a task that has ended',
    body: mcpTaskBody,
    answer: toolResult,
  },
  'POST /api/mcp/servers/{id}/tasks/cancel': {
    summary: 'Cancel a task',
    scope: 'approve',
    body: mcpTaskBody,
    answer: mcpTaskList,
  },
  'GET /api/mcp/servers/{id}/resources': {
    summary: 'List the resources of a server',
    query: pageQuery,
    answer: mcpResourcePage,
  },
  'GET /api/mcp/servers/{id}/resources/templates': {
    summary: 'List the resource templates of a server',
    query: pageQuery,
    answer: mcpTemplatePage,
  },
  'POST /api/mcp/servers/{id}/resources/read': {
    summary: 'Read a resource',
    body: readMcpResourceBody,
    answer: mcpResourceContents,
  },
  'POST /api/mcp/servers/{id}/resources/follow': {
    summary:
      'Subscribe to resources for two minutes; events of the kind `resources` announce updates, and versions tell which',
    body: followMcpResourcesBody,
    answer: mcpFollowedResources,
  },
  'POST /api/mcp/servers/{id}/apps/read': {
    summary: 'Read the app of a tool (a `ui://` resource): its HTML, and the access it declares to need',
    body: readMcpResourceBody,
    answer: mcpAppDocument,
  },
  'POST /api/mcp/servers/{id}/apps/call': {
    summary: 'Call a tool for an app, with the permissions of its conversation; `ask`: send it again with `approved`',
    scope: 'approve',
    body: callFromMcpAppBody,
    answer: mcpAppCall,
  },
  'GET /api/mcp/prompts': {
    summary: 'List the prompts of all servers, and the servers whose prompts could not be listed',
    answer: mcpPromptList,
  },
  'POST /api/mcp/servers/{id}/prompts/get': {
    summary: 'Get a prompt with its arguments filled in',
    body: getMcpPromptBody,
    answer: mcpFilledPrompt,
  },
  'POST /api/mcp/servers/{id}/complete': {
    summary: 'Complete an argument of a prompt or of a resource template',
    body: completeMcpArgumentBody,
    answer: mcpCompletion,
  },
});
