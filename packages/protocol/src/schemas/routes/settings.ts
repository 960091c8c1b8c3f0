import { jsonValue } from '../common.ts';
import { settingsView } from '../configuration.ts';
import { defineRoutes } from './define-routes.ts';

export const settingsRoutes = defineRoutes({
  'GET /api/settings': { summary: 'The defaults of every conversation, and what the page keeps', answer: settingsView },
  'PUT /api/settings/{key}': {
    summary: 'Keep a value; defaults takes an agent configuration',
    scope: 'settings',
    body: jsonValue,
    answer: jsonValue,
  },
  'DELETE /api/settings/{key}': { summary: 'Forget a value', scope: 'settings' },
});
