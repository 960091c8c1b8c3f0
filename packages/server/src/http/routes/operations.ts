import { ToolyardError, VERSION } from '@toolyard/protocol';
import { fileAnswer, jsonAnswer } from '../responses.ts';
import type { Authentication } from '../auth/authentication.ts';
import { openApiDocument } from '../openapi.ts';
import { refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';
import type { RouteContext } from '../route-context.ts';
import { OWNER } from '../types.ts';

export function addOperationRoutes(router: Router, context: RouteContext): void {
  const { ui, proxy, frames, auth } = context;
  const { route } = router;
  let written: object | undefined;

  route('GET /api/openapi.json', ({ c }) => {
    written ??= openApiDocument(router.descriptions, auth.authentication);
    return jsonAnswer(written, { status: 200, acceptEncoding: c.req.header('accept-encoding') });
  });

  route('GET /props', ({ c }) => ({
    ui: ui.enabled,
    ui_settings: ui.settings,
    cors_proxy_enabled: proxy !== null,
    frame_origin: frames.originFor(c.env.incoming),
    webui: ui.enabled,
    webui_settings: ui.settings,
    version: VERSION,
  }));

  addWatchRoutes(router, context, auth.authentication);
}

/** Routes for monitoring. */
export function addWatchRoutes(
  { route }: Router,
  { storage, ready, absentRoles, metrics }: HttpAppOptions,
  authentication: Authentication,
): void {
  route('GET /health', () => ({ status: 'ok' as const, version: VERSION }));

  route('GET /metrics', async ({ c }) => {
    if (!metrics) throw metricsAreOff();
    return fileAnswer(c, await metrics(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });

  route('GET /ready', async ({ c }) => {
    if (!ready()) throw notReady('Runs of the last process are still being recovered.');
    try {
      await storage.settings.get(OWNER, 'ready');
      if ((await authentication.principalIfAny(c.env.incoming)) === null) return { status: 'ok' as const };
      return { status: 'ok' as const, version: VERSION, missingRoles: (await absentRoles?.()) ?? [] };
    } catch (error) {
      if (!ToolyardError.isInstance(error)) throw error;
      throw notReady('The storage does not respond.');
    }
  });
}

function metricsAreOff() {
  return refusal({
    code: 'not_found',
    message: 'Metrics are disabled on this server.',
    hint: 'Start the server with --metrics or TOOLYARD_METRICS=on.',
  });
}

function notReady(message: string) {
  return refusal({ code: 'overloaded', message, hint: 'Try again in a moment.' }, { status: 503 });
}
