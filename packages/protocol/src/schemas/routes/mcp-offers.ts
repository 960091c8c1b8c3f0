import { z } from 'zod';
import {
  callMcpToolBody,
  completeMcpArgumentBody,
  getMcpPromptBody,
  mcpCompletion,
  mcpFilledPrompt,
  mcpLogPage,
  mcpPromptList,
  mcpResourceContents,
  mcpResourcePage,
  mcpTemplatePage,
  readMcpResourceBody,
} from '../mcp-offers.ts';
import { mcpToolPage } from '../mcp-servers.ts';
import { toolResult } from '../parts.ts';
import { queryLimit, queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

const piece = z.strictObject({ after: z.coerce.number().int().min(0).default(0), limit: queryLimit(500) });

export const mcpOffersRoutes = defineRoutes({
  'GET /api/mcp/servers/{id}/log': {
    summary: 'What happened with a server and what went over the wire; after tells from where on',
    query: z.strictObject({ after: queryText.exactOptional() }),
    answer: mcpLogPage,
  },
  'GET /api/mcp/servers/{id}/tools': {
    summary: 'The tools of a server with their schemas',
    query: piece,
    answer: mcpToolPage,
  },
  'POST /api/mcp/servers/{id}/tools/call': {
    summary: 'Call a tool, as a person and not for a model',
    scope: 'approve',
    body: callMcpToolBody,
    answer: toolResult,
  },
  'GET /api/mcp/servers/{id}/resources': {
    summary: 'The resources a server lists',
    query: piece,
    answer: mcpResourcePage,
  },
  'GET /api/mcp/servers/{id}/resources/templates': {
    summary: 'The resources whose address is made from arguments',
    query: piece,
    answer: mcpTemplatePage,
  },
  'POST /api/mcp/servers/{id}/resources/read': {
    summary: 'Read a resource',
    body: readMcpResourceBody,
    answer: mcpResourceContents,
  },
  'GET /api/mcp/prompts': {
    summary: 'The prompts of all servers; those that could not be asked are named',
    answer: mcpPromptList,
  },
  'POST /api/mcp/servers/{id}/prompts/get': {
    summary: 'Fill in a prompt',
    body: getMcpPromptBody,
    answer: mcpFilledPrompt,
  },
  'POST /api/mcp/servers/{id}/complete': {
    summary: 'What an argument of a prompt or of a resource template may become',
    body: completeMcpArgumentBody,
    answer: mcpCompletion,
  },
});
