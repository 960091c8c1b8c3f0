import { z } from 'zod';
import {
  changeProviderBody,
  createProviderBody,
  providerPresetPage,
  modelsView,
  providerPage,
  providerView,
  testedProvider,
  testProviderBody,
} from '../models.ts';
import { queryFlag } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

export const modelsRoutes = defineRoutes({
  'GET /api/models': {
    summary: 'List available models; `refresh` queries the providers again',
    query: z.strictObject({ refresh: queryFlag }),
    answer: modelsView,
  },
  'GET /api/providers': { summary: 'List providers', answer: providerPage },
  'GET /api/providers/presets': {
    summary: 'List provider presets: known services that need only an API key',
    answer: providerPresetPage,
  },
  'POST /api/providers': {
    summary: 'Add a provider',
    scope: 'settings',
    body: createProviderBody,
    answer: providerView,
    status: 201,
  },
  'POST /api/providers/test': {
    summary: 'List the models behind a base URL without storing it',
    scope: 'settings',
    body: testProviderBody,
    answer: testedProvider,
  },
  'PATCH /api/providers/{id}': {
    summary: 'Change a provider that was added through the API',
    scope: 'settings',
    body: changeProviderBody,
    answer: providerView,
  },
  'DELETE /api/providers/{id}': {
    summary: 'Delete a provider that was added through the API, with its key',
    scope: 'settings',
  },
});
