import { z } from 'zod';
import { conversationExport } from '../conversations.ts';
import { defineRoutes } from './define-routes.ts';

export const exportRoutes = defineRoutes({
  'GET /api/conversations/{id}/export': {
    summary: 'Export a conversation: all of it as JSON, or the current branch as Markdown',
    query: z.strictObject({ format: z.enum(['json', 'markdown']).default('json') }),
    answer: conversationExport,
    orMediaType: 'text/markdown',
  },
});
