import { confirmUnsandboxedBody, unsandboxedServers } from '../unsandboxed.ts';
import { defineRoutes } from './define-routes.ts';

export const unsandboxedRoutes = defineRoutes({
  'GET /api/mcp/unsandboxed-servers': {
    summary:
      'List the enabled local servers that run without a sandbox, and those beside which mode auto is not confirmed',
    answer: unsandboxedServers,
  },
  'PUT /api/mcp/unsandboxed-servers': {
    summary: 'Confirm mode auto beside these servers, which run without a sandbox',
    scope: 'approve',
    body: confirmUnsandboxedBody,
    answer: unsandboxedServers,
  },
});
