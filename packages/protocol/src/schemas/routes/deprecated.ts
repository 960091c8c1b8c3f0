import type { RouteKey } from './define-routes.ts';
import type { Routes } from './index.ts';

/** When the routes and fields below were renamed, in seconds since 1970; value of the `Deprecation` header. */
export const DEPRECATED_AT = 1_795_392_000;

/** Renamed routes, old to new. The old routes keep working until the release after 0.1.0. */
export const deprecatedRoutes = {
  'POST /api/mcp/servers/{id}/call': 'POST /api/mcp/servers/{id}/tools/call',
  'POST /api/mcp/servers/{id}/read': 'POST /api/mcp/servers/{id}/resources/read',
  'GET /api/mcp/servers/{id}/templates': 'GET /api/mcp/servers/{id}/resources/templates',
  'GET /api/mcp/unsandboxed': 'GET /api/mcp/unsandboxed-servers',
  'PUT /api/mcp/unsandboxed': 'PUT /api/mcp/unsandboxed-servers',
  'GET /api/providers/known': 'GET /api/providers/presets',
  'PUT /api/tabs/{tab}/offers/{conversation}': 'PUT /api/tabs/{tab}/conversations/{conversation}/tools',
  'POST /api/tabs/{tab}/renew': 'POST /api/tabs/{tab}/heartbeat',
  'POST /api/tabs/{tab}/runs/{run}/take': 'POST /api/tabs/{tab}/runs/{run}/claim',
} as const satisfies Record<RouteKey, keyof Routes>;

/** Renamed fields, old name to new, by schema name. Requests may use either; responses contain both. */
export const deprecatedFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CompleteMcpArgument: { others: 'filledArguments' },
  ProviderPresetView: { keyPage: 'apiKeyUrl', wantsModelNames: 'requiresModelNames' },
  ModelsView: { standard: 'defaultModel' },
  Readiness: { absent: 'missingRoles' },
  WebhookView: { waiting: 'pendingDeliveries' },
};
