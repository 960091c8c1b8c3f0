import { preflightRequest, preflightView } from '../proxy.ts';
import { defineRoutes } from './define-routes.ts';

export const preflightRoutes = defineRoutes({
  'POST /api/mcp/preflight': {
    summary: 'Check whether a page may connect to an MCP server directly, and which CORS header prevents it',
    scope: 'servers',
    body: preflightRequest,
    answer: preflightView,
  },
});
