import { sentRequest } from '../sent-requests.ts';
import { defineRoutes } from './define-routes.ts';

export const sentRequestsRoutes = defineRoutes({
  'GET /api/runs/{id}/steps/{step}/request': {
    summary: 'Get the model request of a step of a run',
    answer: sentRequest,
  },
});
