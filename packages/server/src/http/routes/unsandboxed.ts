import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';

/** Local servers without a sandbox, and the confirmation of mode `auto` for them. */
export function addUnsandboxedRoutes({ route }: Router, { auto }: RouteContext): void {
  route('GET /api/mcp/unsandboxed-servers', ({ principal }) => auto.view(principal));

  route('PUT /api/mcp/unsandboxed-servers', async ({ principal, body }) => {
    await auto.confirm(principal, body.servers);
    return auto.view(principal);
  });
}
