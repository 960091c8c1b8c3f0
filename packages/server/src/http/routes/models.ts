import {
  changeProvider,
  createProvider,
  flag,
  knownProviderPage,
  modelsView,
  providerPage,
  providerView,
  testedProvider,
  testProvider,
} from '@toolyard/protocol/schemas';
import { z } from 'zod';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

export function addModelRoutes({ route }: Router, { models }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/models',
    summary: 'Every model that is to be had now; with refresh the providers are asked again',
    query: z.strictObject({ refresh: flag }),
    answer: modelsView,
    handle: ({ c, principal, query: { refresh } }) => models.list(principal, { refresh, signal: c.req.raw.signal }),
  });

  route({
    method: 'get',
    path: '/api/providers',
    summary: 'Where models come from',
    answer: providerPage,
    handle: async ({ principal }) => ({ items: await models.providers(principal) }),
  });

  route({
    method: 'get',
    path: '/api/providers/known',
    summary: 'The providers whose address and API are known: only a key is wanted',
    answer: knownProviderPage,
    handle: async () => ({ items: await models.known() }),
  });

  route({
    method: 'post',
    path: '/api/providers',
    summary: 'Add a provider',
    scope: 'settings',
    body: createProvider,
    answer: providerView,
    status: 201,
    handle: ({ principal, body }) => models.create(principal, body),
  });

  route({
    method: 'post',
    path: '/api/providers/test',
    summary: 'Ask an address for its models; nothing is stored',
    scope: 'settings',
    body: testProvider,
    answer: testedProvider,
    handle: ({ c, principal, body }) => models.test(principal, body, c.req.raw.signal),
  });

  route({
    method: 'patch',
    path: '/api/providers/{id}',
    summary: 'Change a provider that was added here',
    scope: 'settings',
    body: changeProvider,
    answer: providerView,
    handle: ({ principal, params: { id }, body }) => models.change(principal, id, body),
  });

  route({
    method: 'delete',
    path: '/api/providers/{id}',
    summary: 'Remove a provider that was added here, with its key',
    scope: 'settings',
    handle: ({ principal, params: { id } }) => models.remove(principal, id),
  });
}
