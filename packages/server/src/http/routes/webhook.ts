import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Routes of the webhook. */
export function addWebhookRoutes({ route }: Router, { webhooks }: HttpAppOptions): void {
  route('GET /api/webhook', async ({ principal }) => ({ webhook: await webhooks.get(principal) }));

  route('PUT /api/webhook', ({ principal, body }) => webhooks.set(principal, body));

  route('DELETE /api/webhook', ({ principal }) => webhooks.remove(principal));

  route('POST /api/webhook/test', ({ principal }) => webhooks.test(principal));
}
