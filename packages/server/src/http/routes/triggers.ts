import { messageText } from '@toolyard/protocol';
import { RefusedDelivery } from '../../triggers/accept-delivery.ts';
import { readBodyBytes } from '../transport/body.ts';
import { refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** GitHub sends up to 25 MB, but a message must fit into the context window of a model. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

export function addTriggerRoutes({ route }: Router, { triggers }: HttpAppOptions): void {
  route('GET /api/triggers', async ({ principal }) => ({ items: await triggers.list(principal) }));
  route('POST /api/triggers', ({ principal, body }) => triggers.create(principal, body));
  route('GET /api/triggers/{id}', ({ principal, params: { id } }) => triggers.get(principal, id));
  route('PATCH /api/triggers/{id}', ({ principal, params: { id }, body }) => triggers.change(principal, id, body));
  route('DELETE /api/triggers/{id}', ({ principal, params: { id } }) => triggers.remove(principal, id));
  route('POST /api/triggers/{id}/test', ({ principal, params: { id }, body: { payload, run = false } }) =>
    triggers.test(principal, id, payload, run),
  );
  route('GET /api/triggers/{id}/deliveries', async ({ principal, params: { id } }) => ({
    items: await triggers.deliveries(principal, id),
  }));

  route('POST /api/hooks/{trigger}', async ({ c, params: { trigger } }) => {
    const body = await readBodyBytes(c.env.incoming, MAX_PAYLOAD_BYTES);
    try {
      return { runId: await triggers.deliver(trigger, { body, header: (name) => c.req.header(name) }) };
    } catch (thrown) {
      if (!(thrown instanceof RefusedDelivery)) throw thrown;
      const { code, retryAfter } = thrown;
      const headers = {
        ...(code === 'unauthorized' ? { 'www-authenticate': 'Signature' } : {}),
        ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      };
      throw refusal(
        { code, message: messageText(thrown) },
        { headers, ...(code === 'bad_request' ? { status: 422 } : {}) },
      );
    }
  });
}
