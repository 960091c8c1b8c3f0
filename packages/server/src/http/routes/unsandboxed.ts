import { confirmUnsandboxed, unsandboxedServers } from '@toolyard/protocol/schemas';
import type { AutoConfirmation } from '../../config/auto-confirmation.ts';
import type { Router } from '../router.ts';

/** Local servers without a sandbox, and the confirmation of mode `auto` beside them. */
export function addUnsandboxedRoutes({ route }: Router, auto: AutoConfirmation): void {
  route({
    method: 'get',
    path: '/api/mcp/unsandboxed',
    summary:
      'List the enabled local servers that run without a sandbox, and those beside which mode auto is not confirmed',
    answer: unsandboxedServers,
    handle: ({ principal }) => auto.view(principal),
  });

  route({
    method: 'put',
    path: '/api/mcp/unsandboxed',
    summary: 'Confirm mode auto beside these servers, which run without a sandbox',
    scope: 'approve',
    body: confirmUnsandboxed,
    answer: unsandboxedServers,
    async handle({ principal, body }) {
      await auto.confirm(principal, body.servers);
      return auto.view(principal);
    },
  });
}
