import { z } from 'zod';
import {
  changeConversationBody,
  conversationPage,
  conversationView,
  createConversationBody,
} from '../conversations.ts';
import { queryFlag, queryLimit } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

export const conversationsRoutes = defineRoutes({
  'GET /api/conversations': {
    summary: 'List conversations: pinned first, then the most recent; with `q`, search results by relevance',
    query: z.strictObject({
      limit: queryLimit(50),
      after: z.string().max(500).exactOptional(),
      q: z.string().max(500).exactOptional(),
      deleted: queryFlag,
    }),
    answer: conversationPage,
  },
  'POST /api/conversations': {
    summary: 'Create a conversation; an existing conversation with this id is returned unchanged',
    body: createConversationBody,
    answer: conversationView,
    status: 201,
  },
  'GET /api/conversations/{id}': {
    summary: 'Get a conversation with the end of its current branch and its run in progress',
    answer: conversationView,
  },
  'PATCH /api/conversations/{id}': {
    summary: 'Rename, pin or configure a conversation, or select another branch',
    body: changeConversationBody,
    answer: conversationView,
  },
  'DELETE /api/conversations/{id}': {
    summary: 'Delete a conversation and stop its run; it can be restored for a limited time',
  },
  'POST /api/conversations/{id}/restore': { summary: 'Restore a deleted conversation', answer: conversationView },
});
