import { z } from 'zod';
import {
  agentFormat,
  agentPage,
  agentView,
  changeAgentBody,
  createAgentBody,
  exportedAgent,
  importedAgents,
} from '../agents.ts';
import { defineRoutes } from './define-routes.ts';

export const agentsRoutes = defineRoutes({
  'GET /api/agents': { summary: 'List agents by title', answer: agentPage },
  'POST /api/agents': {
    summary: 'Create an agent',
    scope: 'settings',
    body: createAgentBody,
    answer: agentView,
    status: 201,
  },
  'POST /api/agents/import': {
    summary:
      'Import agents from a file: an agent of Toolyard or LobeHub, or a character card as JSON or PNG. Tools are not ' +
      'switched on',
    scope: 'settings',
    upload: ['application/json', 'image/png', 'application/octet-stream'],
    answer: importedAgents,
    status: 201,
  },
  'GET /api/agents/{id}/export': {
    summary: 'Export an agent as a file of Toolyard, LobeHub or a character card',
    query: z.strictObject({ format: agentFormat.default('toolyard') }),
    answer: exportedAgent,
  },
  'GET /api/agents/{id}': { summary: 'Get an agent', answer: agentView },
  'PATCH /api/agents/{id}': {
    summary: 'Update an agent; fails if it was changed since it was read',
    scope: 'settings',
    body: changeAgentBody,
    answer: agentView,
  },
  'DELETE /api/agents/{id}': { summary: 'Delete an agent; its conversations are kept', scope: 'settings' },
});
