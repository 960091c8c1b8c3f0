import { setWebhookBody, setWebhookAnswer, testedWebhook, webhookState } from '../webhook.ts';
import { defineRoutes } from './define-routes.ts';

export const webhookRoutes = defineRoutes({
  'GET /api/webhook': {
    summary: 'Get the webhook; null if not set',
    answer: webhookState,
  },
  'PUT /api/webhook': {
    summary: 'Set the webhook; a generated secret is returned only once',
    scope: 'settings',
    body: setWebhookBody,
    answer: setWebhookAnswer,
  },
  'DELETE /api/webhook': { summary: 'Delete the webhook', scope: 'settings' },
  'POST /api/webhook/test': {
    summary: 'Send a test message to the webhook',
    scope: 'settings',
    answer: testedWebhook,
  },
});
