import type { z } from 'zod';
import { accessRoutes } from './access.ts';
import { agentsRoutes } from './agents.ts';
import { artifactsRoutes } from './artifacts.ts';
import { conversationsRoutes } from './conversations.ts';
import { draftsRoutes } from './drafts.ts';
import { exportRoutes } from './export.ts';
import { filesRoutes } from './files.ts';
import { groupsRoutes } from './groups.ts';
import { imagesRoutes } from './images.ts';
import { interruptsRoutes } from './interrupts.ts';
import { liveRoutes } from './live.ts';
import { mcpOffersRoutes } from './mcp-offers.ts';
import { mcpSignInRoutes } from './mcp-sign-in.ts';
import { mcpRoutes } from './mcp.ts';
import { memoriesRoutes } from './memories.ts';
import { messagesRoutes } from './messages.ts';
import { modelCallsRoutes } from './model-calls.ts';
import { modelsRoutes } from './models.ts';
import { operationsRoutes } from './operations.ts';
import { permissionsRoutes } from './permissions.ts';
import { preflightRoutes } from './preflight.ts';
import { presetTasksRoutes } from './preset-tasks.ts';
import { proxyRoutes } from './proxy.ts';
import { runHistoryRoutes } from './run-history.ts';
import { runsRoutes } from './runs.ts';
import { schedulesRoutes } from './schedules.ts';
import { triggersRoutes } from './triggers.ts';
import { sentRequestsRoutes } from './sent-requests.ts';
import { sessionRoutes } from './session.ts';
import { settingsRoutes } from './settings.ts';
import { skillsRoutes } from './skills.ts';
import { tabsRoutes } from './tabs.ts';
import { translationsRoutes } from './translations.ts';
import { unsandboxedRoutes } from './unsandboxed.ts';
import { usageRoutes } from './usage.ts';
import { builtInToolsRoutes } from './built-in-tools.ts';
import { webhookRoutes } from './webhook.ts';

/** Written out, because the inferred type is longer than the compiler writes into a declaration. */
export type Routes = typeof accessRoutes &
  typeof agentsRoutes &
  typeof artifactsRoutes &
  typeof conversationsRoutes &
  typeof draftsRoutes &
  typeof exportRoutes &
  typeof filesRoutes &
  typeof groupsRoutes &
  typeof imagesRoutes &
  typeof interruptsRoutes &
  typeof liveRoutes &
  typeof mcpOffersRoutes &
  typeof mcpSignInRoutes &
  typeof mcpRoutes &
  typeof memoriesRoutes &
  typeof messagesRoutes &
  typeof modelCallsRoutes &
  typeof modelsRoutes &
  typeof operationsRoutes &
  typeof permissionsRoutes &
  typeof preflightRoutes &
  typeof presetTasksRoutes &
  typeof proxyRoutes &
  typeof runHistoryRoutes &
  typeof runsRoutes &
  typeof schedulesRoutes &
  typeof triggersRoutes &
  typeof sentRequestsRoutes &
  typeof sessionRoutes &
  typeof settingsRoutes &
  typeof skillsRoutes &
  typeof tabsRoutes &
  typeof translationsRoutes &
  typeof unsandboxedRoutes &
  typeof usageRoutes &
  typeof builtInToolsRoutes &
  typeof webhookRoutes;

/** Every route of the HTTP API. Server, OpenAPI document and clients are derived from it. */
export const routes: Routes = {
  ...accessRoutes,
  ...agentsRoutes,
  ...artifactsRoutes,
  ...conversationsRoutes,
  ...draftsRoutes,
  ...exportRoutes,
  ...filesRoutes,
  ...groupsRoutes,
  ...imagesRoutes,
  ...interruptsRoutes,
  ...liveRoutes,
  ...mcpOffersRoutes,
  ...mcpSignInRoutes,
  ...mcpRoutes,
  ...memoriesRoutes,
  ...messagesRoutes,
  ...modelCallsRoutes,
  ...modelsRoutes,
  ...operationsRoutes,
  ...permissionsRoutes,
  ...preflightRoutes,
  ...presetTasksRoutes,
  ...proxyRoutes,
  ...runHistoryRoutes,
  ...runsRoutes,
  ...schedulesRoutes,
  ...triggersRoutes,
  ...sentRequestsRoutes,
  ...sessionRoutes,
  ...settingsRoutes,
  ...skillsRoutes,
  ...tabsRoutes,
  ...translationsRoutes,
  ...unsandboxedRoutes,
  ...usageRoutes,
  ...builtInToolsRoutes,
  ...webhookRoutes,
};

/** The routes about MCP servers. */
export type McpRouteKey = keyof (typeof mcpOffersRoutes & typeof mcpSignInRoutes & typeof mcpRoutes);

type ParameterNames<Key> = Key extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterNames<Rest> : never;

/** The path parameters of a route. */
export type RouteParams<Key extends keyof Routes> = Record<ParameterNames<Key>, string>;

/** The query of a route as the server parses it. */
export type RouteQuery<Key extends keyof Routes> = Routes[Key] extends { query: infer Query extends z.ZodType }
  ? z.output<Query>
  : object;

/** The body of a route as the server parses it. */
export type RouteBody<Key extends keyof Routes> = Routes[Key] extends { body: infer Body extends z.ZodType }
  ? z.output<Body>
  : undefined;

/** The JSON of a successful response; `void` if it has no body. */
export type RouteAnswer<Key extends keyof Routes> = Routes[Key] extends { answer: infer Answer extends z.ZodType }
  ? z.output<Answer>
  : void;

export type { RouteMethod } from './define-routes.ts';
