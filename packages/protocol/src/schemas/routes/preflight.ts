import { preflightRequest, preflightView } from '../proxy.ts';
import { defineRoutes } from './define-routes.ts';

export const preflightRoutes = defineRoutes({
  'POST /api/mcp/preflight': {
    summary: 'Whether a page of this server may speak with an MCP server directly, and which header stands in the way',
    scope: 'servers',
    body: preflightRequest,
    answer: preflightView,
  },
});
