import { z } from 'zod';
import { permissionPage, permissionView, setPermissionBody } from '../permissions.ts';
import { queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

export const permissionsRoutes = defineRoutes({
  'GET /api/permissions': {
    summary: 'List permissions; with `conversation`, those that apply there',
    query: z.strictObject({ conversation: queryText.exactOptional() }),
    answer: permissionPage,
  },
  'PUT /api/permissions': {
    summary: 'Set the permission of a tool, replacing the previous one; `conversationId` null applies everywhere',
    scope: 'approve',
    body: setPermissionBody,
    answer: permissionView,
  },
  'DELETE /api/permissions': {
    summary: 'Delete a permission; calls of the tool need approval again',
    scope: 'approve',
    query: z.strictObject({ server: queryText, tool: queryText, conversation: queryText.exactOptional() }),
  },
});
