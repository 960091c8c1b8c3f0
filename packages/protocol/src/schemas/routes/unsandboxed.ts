import { confirmUnsandboxedBody, unsandboxedServers } from '../unsandboxed.ts';
import { defineRoutes } from './define-routes.ts';

export const unsandboxedRoutes = defineRoutes({
  'GET /api/mcp/unsandboxed-servers': {
    summary: 'List enabled local servers without a sandbox, and those for which mode `auto` is not confirmed',
    answer: unsandboxedServers,
  },
  'PUT /api/mcp/unsandboxed-servers': {
    summary: 'Confirm mode `auto` for these servers without a sandbox',
    scope: 'approve',
    body: confirmUnsandboxedBody,
    answer: unsandboxedServers,
  },
});
