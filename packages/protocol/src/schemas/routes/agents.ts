import { agentPage, agentView, changeAgentBody, createAgentBody } from '../configuration.ts';
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
  'GET /api/agents/{id}': { summary: 'Get an agent', answer: agentView },
  'PATCH /api/agents/{id}': {
    summary: 'Update an agent; fails if it was changed since it was read',
    scope: 'settings',
    body: changeAgentBody,
    answer: agentView,
  },
  'DELETE /api/agents/{id}': { summary: 'Delete an agent; its conversations are kept', scope: 'settings' },
});
