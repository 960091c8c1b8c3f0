import { agentPage, agentView, changeAgentBody, createAgentBody } from '../configuration.ts';
import { defineRoutes } from './define-routes.ts';

export const agentsRoutes = defineRoutes({
  'GET /api/agents': { summary: 'Agents by title', answer: agentPage },
  'POST /api/agents': {
    summary: 'Make an agent',
    scope: 'settings',
    body: createAgentBody,
    answer: agentView,
    status: 201,
  },
  'GET /api/agents/{id}': { summary: 'An agent', answer: agentView },
  'PATCH /api/agents/{id}': {
    summary: 'Change an agent that nobody else has changed since it was read',
    scope: 'settings',
    body: changeAgentBody,
    answer: agentView,
  },
  'DELETE /api/agents/{id}': { summary: 'Delete an agent; its conversations stay', scope: 'settings' },
});
