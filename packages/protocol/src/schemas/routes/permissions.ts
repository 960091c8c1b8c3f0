import { z } from 'zod';
import { permissionPage, permissionView, setPermissionBody } from '../permissions.ts';
import { queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

export const permissionsRoutes = defineRoutes({
  'GET /api/permissions': {
    summary: 'What was decided about tools for later; with conversation what counts there',
    query: z.strictObject({ conversation: queryText.exactOptional() }),
    answer: permissionPage,
  },
  'PUT /api/permissions': {
    summary: 'Decide about a tool in place of what was decided before; conversationId null counts everywhere',
    scope: 'approve',
    body: setPermissionBody,
    answer: permissionView,
  },
  'DELETE /api/permissions': {
    summary: 'Forget a decision: from then on the tool is asked about again',
    scope: 'approve',
    query: z.strictObject({ server: queryText, tool: queryText, conversation: queryText.exactOptional() }),
  },
});
