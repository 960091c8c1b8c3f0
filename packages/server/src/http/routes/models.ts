import { z } from 'zod';
import type { Router } from '../router.ts';
import {
  changeProvider,
  createProvider,
  modelsView,
  providerPage,
  providerView,
  testedProvider,
  testProvider,
} from '../schemas/models.ts';
import { flag } from '../schemas/query.ts';
import type { HttpDeps } from '../types.ts';

export function addModelRoutes({ route }: Router, { models, hub }: HttpDeps): void {
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
    method: 'post',
    path: '/api/providers',
    summary: 'Add a provider',
    body: createProvider,
    answer: providerView,
    status: 201,
    async handle({ principal, body }) {
      const provider = await models.create(principal, body);
      hub.changed(principal.ownerId, 'providers', provider.id);
      return provider;
    },
  });

  route({
    method: 'post',
    path: '/api/providers/test',
    summary: 'Ask an address for its models; nothing is stored',
    body: testProvider,
    answer: testedProvider,
    handle: ({ c, principal, body }) => models.test(principal, body, c.req.raw.signal),
  });

  route({
    method: 'patch',
    path: '/api/providers/{id}',
    summary: 'Change a provider that was added here',
    body: changeProvider,
    answer: providerView,
    async handle({ principal, params: { id }, body }) {
      const provider = await models.change(principal, id, body);
      hub.changed(principal.ownerId, 'providers', id);
      return provider;
    },
  });

  route({
    method: 'delete',
    path: '/api/providers/{id}',
    summary: 'Remove a provider that was added here, with its key',
    async handle({ principal, params: { id } }) {
      await models.remove(principal, id);
      hub.changed(principal.ownerId, 'providers', id);
    },
  });
}
