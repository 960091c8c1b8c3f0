import { formatToolReference } from '@toolyard/protocol';
import { notFound, refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Permissions of tools. */
export function addPermissionRoutes({ route }: Router, { storage, servers, hub, clock }: HttpAppOptions): void {
  route('GET /api/permissions', async ({ principal, query: { conversation } }) => {
    const query = conversation === undefined ? {} : { conversationId: conversation };
    return { items: await storage.permissions.list(principal, query) };
  });

  route('PUT /api/permissions', async ({ principal, body }) => {
    // Only the tab knows its definition; the user allows it when answering an interrupt, which shows it.
    if (body.decision === 'allow' && body.tool.origin === 'tab') {
      throw refusal({
        code: 'bad_request',
        message: `${formatToolReference(body.tool)} is a tool of a browser tab and cannot be allowed here.`,
        hint: 'Choose "always" when the tool asks for approval.',
      });
    }
    const permission = { ...body, at: clock.now() };
    await storage.permissions.set(principal, permission);
    if (body.decision === 'allow') servers.approve(body);
    hub.changed(principal.ownerId, 'servers', body.tool.serverId);
    return permission;
  });

  route('DELETE /api/permissions', async ({ principal, query: { server, tool, conversation } }) => {
    const reference = { serverId: server, name: tool };
    const removed = await storage.permissions.remove(principal, reference, conversation ?? null);
    if (!removed) throw notFound('permission of the tool', `${server}/${tool}`);
    hub.changed(principal.ownerId, 'servers', server);
  });
}
