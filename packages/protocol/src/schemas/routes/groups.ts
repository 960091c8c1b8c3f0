import { changeGroupBody, createGroupBody, groupPage, groupRun, groupView } from '../groups.ts';
import { runRecord } from '../runs.ts';
import { defineRoutes } from './define-routes.ts';

export const groupsRoutes = defineRoutes({
  'GET /api/groups': { summary: 'List groups by title', answer: groupPage },
  'POST /api/groups': {
    summary: 'Create a group',
    scope: 'settings',
    body: createGroupBody,
    answer: groupView,
    status: 201,
  },
  'GET /api/groups/{id}': { summary: 'Get a group', answer: groupView },
  'PATCH /api/groups/{id}': {
    summary: 'Update a group; fails if it was changed since it was read',
    scope: 'settings',
    body: changeGroupBody,
    answer: groupView,
  },
  'DELETE /api/groups/{id}': { summary: 'Delete a group; its conversations are kept', scope: 'settings' },
  'GET /api/runs/{id}/group': {
    summary: 'Get the round of the run of a group, and the members whose turn it is; null for any other run',
    answer: groupRun,
  },
  'POST /api/runs/{id}/pause': {
    summary: 'Pause the run of a group before its next round; `resume` continues it',
    answer: runRecord,
  },
});
