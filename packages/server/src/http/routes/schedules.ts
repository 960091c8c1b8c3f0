import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addScheduleRoutes({ route }: Router, { schedules }: HttpAppOptions): void {
  route('GET /api/schedules', async ({ principal, query: { language } }) => ({
    items: await schedules.list(principal, language),
  }));
  route('POST /api/schedules', ({ principal, body }) => schedules.create(principal, body));
  route('POST /api/schedules/preview', ({ body }) => schedules.preview(body));
  route('GET /api/schedules/{id}', ({ principal, params: { id }, query: { language } }) =>
    schedules.get(principal, id, language),
  );
  route('PATCH /api/schedules/{id}', ({ principal, params: { id }, body }) => schedules.change(principal, id, body));
  route('DELETE /api/schedules/{id}', ({ principal, params: { id } }) => schedules.remove(principal, id));
  route('POST /api/schedules/{id}/run', ({ principal, params: { id } }) => schedules.run(principal, id));
  route('GET /api/schedules/{id}/firings', async ({ principal, params: { id } }) => ({
    items: await schedules.firings(principal, id),
  }));
}
