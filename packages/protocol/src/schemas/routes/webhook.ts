import { setWebhookBody, setWebhookAnswer, testedWebhook, webhookState } from '../webhook.ts';
import { defineRoutes } from './define-routes.ts';

export const webhookRoutes = defineRoutes({
  'GET /api/webhook': {
    summary: 'Where the owner is told of open questions and of ends of runs; null where nobody is',
    answer: webhookState,
  },
  'PUT /api/webhook': {
    summary: 'Be told there; a secret that is made is told this once',
    scope: 'settings',
    body: setWebhookBody,
    answer: setWebhookAnswer,
  },
  'DELETE /api/webhook': { summary: 'Be told no more', scope: 'settings' },
  'POST /api/webhook/test': {
    summary: 'Send a message that says nothing but that it is a test',
    scope: 'settings',
    answer: testedWebhook,
  },
});
