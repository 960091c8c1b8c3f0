import { setWebToolsBody, webToolsView } from '../web-tools.ts';
import { defineRoutes } from './define-routes.ts';

export const webToolsRoutes = defineRoutes({
  'GET /api/tools/web': {
    summary: 'Get the search engine of web_search, and the private origins that web_fetch may read',
    answer: webToolsView,
  },
  'PUT /api/tools/web': {
    summary: 'Set the search engine of web_search, and the private origins that web_fetch may read',
    scope: 'settings',
    body: setWebToolsBody,
    answer: webToolsView,
  },
});
