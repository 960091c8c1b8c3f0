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
    summary: 'Conversations: pinned ones first, then the latest; with q those in which it is said, the best first',
    query: z.strictObject({
      limit: queryLimit(50),
      after: z.string().max(500).exactOptional(),
      q: z.string().max(500).exactOptional(),
      deleted: queryFlag,
    }),
    answer: conversationPage,
  },
  'POST /api/conversations': {
    summary: 'Begin a conversation; one of this id that is there already is given back as it is',
    body: createConversationBody,
    answer: conversationView,
    status: 201,
  },
  'GET /api/conversations/{id}': {
    summary: 'A conversation with the end of its current branch and what is under way',
    answer: conversationView,
  },
  'PATCH /api/conversations/{id}': {
    summary: 'Rename, pin, configure, or show another branch',
    body: changeConversationBody,
    answer: conversationView,
  },
  'DELETE /api/conversations/{id}': { summary: 'Delete; a run under way is stopped. It can be restored for some time' },
  'POST /api/conversations/{id}/restore': { summary: 'Bring a deleted conversation back', answer: conversationView },
});
