import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addModelRoutes({ route }: Router, { models }: HttpAppOptions): void {
  route('GET /api/models', ({ c, principal, query: { refresh } }) =>
    models.list(principal, { refresh, signal: c.req.raw.signal }),
  );

  route('GET /api/providers', async ({ principal }) => ({ items: await models.providers(principal) }));

  route('GET /api/providers/presets', async () => ({ items: await models.known() }));

  route('POST /api/providers', ({ principal, body }) => models.create(principal, body));

  route('POST /api/providers/test', ({ c, principal, body }) => models.test(principal, body, c.req.raw.signal));

  route('PATCH /api/providers/{id}', ({ principal, params: { id }, body }) => models.change(principal, id, body));

  route('DELETE /api/providers/{id}', ({ principal, params: { id } }) => models.remove(principal, id));
}
