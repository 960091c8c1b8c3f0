import { openApi } from '../openapi.ts';
import { health, propsView, readiness } from '../operations.ts';
import { defineRoutes } from './define-routes.ts';

const METRICS_TYPE = 'text/plain';

export const operationsRoutes = defineRoutes({
  'GET /api/openapi.json': { summary: 'Get the OpenAPI document of this API', answer: openApi },
  'GET /props': { summary: 'Get the page settings that the operator configured', answer: propsView },
  'GET /health': { summary: 'Check that the process responds', open: true, answer: health },
  'GET /metrics': {
    summary: 'Get metrics of this process in the Prometheus text format; 404 if metrics are disabled',
    scope: ['metrics', 'read'],
    mediaType: METRICS_TYPE,
  },
  'GET /ready': {
    summary:
      'Check that the server is ready: storage responds and interrupted runs were recovered; otherwise ' +
      '503. Needs no credential; with one, the response also has the version and, in `missingRoles`, the ' +
      'roles that no process has',
    open: true,
    answer: readiness,
  },
});
