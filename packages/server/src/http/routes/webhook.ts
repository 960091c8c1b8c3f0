import { setWebhook, setWebhookAnswer, testedWebhook, webhookState } from '@toolyard/protocol/schemas';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

/** Being told, outside of the page, of what happens. */
export function addWebhookRoutes({ route }: Router, { webhooks }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/webhook',
    summary: 'Where the owner is told of open questions and of ends of runs; null where nobody is',
    answer: webhookState,
    handle: async ({ principal }) => ({ webhook: await webhooks.get(principal) }),
  });

  route({
    method: 'put',
    path: '/api/webhook',
    summary: 'Be told there; a secret that is made is told this once',
    scope: 'settings',
    body: setWebhook,
    answer: setWebhookAnswer,
    handle: ({ principal, body }) => webhooks.set(principal, body),
  });

  route({
    method: 'delete',
    path: '/api/webhook',
    summary: 'Be told no more',
    scope: 'settings',
    handle: ({ principal }) => webhooks.remove(principal),
  });

  route({
    method: 'post',
    path: '/api/webhook/test',
    summary: 'Send a message that says nothing but that it is a test',
    scope: 'settings',
    answer: testedWebhook,
    handle: ({ principal }) => webhooks.test(principal),
  });
}
