import { mediaTools } from '../media-tools.ts';
import { setWebToolsBody, webToolsView } from '../web-tools.ts';
import { defineRoutes } from './define-routes.ts';

export const builtInToolsRoutes = defineRoutes({
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
  'GET /api/tools/media': {
    summary: 'Get the models of create_image and speak',
    answer: mediaTools,
  },
  'PUT /api/tools/media': {
    summary: 'Set the models of create_image and speak',
    scope: 'settings',
    body: mediaTools,
    answer: mediaTools,
  },
});
