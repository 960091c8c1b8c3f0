import { artifactList } from '../artifacts.ts';
import { defineRoutes } from './define-routes.ts';

export const artifactsRoutes = defineRoutes({
  'GET /api/conversations/{id}/artifacts': {
    summary: 'List the documents that models created in a conversation, with their versions',
    answer: artifactList,
  },
});
