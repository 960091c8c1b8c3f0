import { openApi } from '../openapi.ts';
import { health, propsView, readiness } from '../operations.ts';
import { defineRoutes } from './define-routes.ts';

const METRICS_TYPE = 'text/plain';

export const operationsRoutes = defineRoutes({
  'GET /api/openapi.json': { summary: 'The description of this API', answer: openApi },
  'GET /props': { summary: 'What the owner set for the page', answer: propsView },
  'GET /health': { summary: 'The process answers', open: true, answer: health },
  'GET /metrics': {
    summary: 'How this process fares, in the text format of Prometheus; 404 where it was not switched on',
    scope: ['metrics', 'read'],
    mediaType: METRICS_TYPE,
  },
  'GET /ready': {
    summary:
      'The server can work: storage answers, and earlier runs were taken up; 503 until then. Needs no credential; with one it also tells the version and, in `missingRoles`, the roles that no process has',
    open: true,
    answer: readiness,
  },
});
