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
    summary: 'Every model that is to be had now; with refresh the providers are asked again',
    query: z.strictObject({ refresh: queryFlag }),
    answer: modelsView,
  },
  'GET /api/providers': { summary: 'Where models come from', answer: providerPage },
  'GET /api/providers/presets': {
    summary: 'The providers whose address and API are known: only a key is wanted',
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
    summary: 'Ask an address for its models; nothing is stored',
    scope: 'settings',
    body: testProviderBody,
    answer: testedProvider,
  },
  'PATCH /api/providers/{id}': {
    summary: 'Change a provider that was added here',
    scope: 'settings',
    body: changeProviderBody,
    answer: providerView,
  },
  'DELETE /api/providers/{id}': { summary: 'Remove a provider that was added here, with its key', scope: 'settings' },
});
