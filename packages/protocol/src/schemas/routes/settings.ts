import { jsonValue } from '../common.ts';
import { settingsView } from '../configuration.ts';
import { defineRoutes } from './define-routes.ts';

export const settingsRoutes = defineRoutes({
  'GET /api/settings': {
    summary: 'Get the defaults of all conversations and the stored settings of the page',
    answer: settingsView,
  },
  'PUT /api/settings/{key}': {
    summary: 'Store a setting; `defaults` takes an agent configuration',
    scope: 'settings',
    body: jsonValue,
    answer: jsonValue,
  },
  'DELETE /api/settings/{key}': { summary: 'Delete a setting', scope: 'settings' },
});
