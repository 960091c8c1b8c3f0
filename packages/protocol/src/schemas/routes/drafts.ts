import { draft, saveDraftBody } from '../drafts.ts';
import { defineRoutes } from './define-routes.ts';

export const draftsRoutes = defineRoutes({
  'GET /api/drafts/{id}': {
    summary: 'Get the message being written in a conversation; `new` is the one of a new chat',
    answer: draft,
  },
  'PUT /api/drafts/{id}': {
    summary: 'Store the message being written in a conversation; an empty one deletes it',
    body: saveDraftBody,
    answer: draft,
  },
});
