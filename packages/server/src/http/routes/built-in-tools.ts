import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Settings of built-in tools. */
export function addBuiltInToolRoutes({ route }: Router, { webTools, mediaTools, hub }: HttpAppOptions): void {
  route('GET /api/tools/web', ({ principal }) => webTools.get(principal));

  route('PUT /api/tools/web', async ({ principal, body }) => {
    const view = await webTools.set(principal, body);
    hub.changed(principal.ownerId, 'settings', 'tools.web');
    return view;
  });

  route('GET /api/tools/media', ({ principal }) => mediaTools.get(principal));

  route('PUT /api/tools/media', async ({ principal, body }) => {
    const chosen = await mediaTools.set(principal, body);
    hub.changed(principal.ownerId, 'settings', 'tools.media');
    return chosen;
  });
}
