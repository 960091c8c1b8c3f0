import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Owner } from '@toolyard/protocol';
import { Hono } from 'hono';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import { createAutoConfirmation } from '../config/auto-confirmation.ts';
import { problemAnswer } from './answers.ts';
import type { Auth } from './auth/create-auth.ts';
import { createAuth } from './auth/create-auth.ts';
import type { EventStreams } from './event-stream.ts';
import { createEventStreams } from './event-stream.ts';
import { createHostCheck, createNameCheck } from './hosts.ts';
import { createPage } from './page.ts';
import { errorAnswer, quoted, refusal } from './problems.ts';
import type { RouteDescription, Router } from './router.ts';
import { createRouter, honoPath } from './router.ts';
import { addAccessRoutes } from './routes/access.ts';
import { addAgentRoutes } from './routes/agents.ts';
import { addBuiltInToolRoutes } from './routes/built-in-tools.ts';
import { addSkillRoutes } from './routes/skills.ts';
import { addConversationRoutes } from './routes/conversations.ts';
import { addArtifactRoutes } from './routes/artifacts.ts';
import { addDraftRoutes } from './routes/drafts.ts';
import { addExportRoute } from './routes/export.ts';
import { addFileRoutes } from './routes/files.ts';
import { addImageRoutes } from './routes/images.ts';
import { addInterruptRoutes } from './routes/interrupts.ts';
import { addLiveRoutes } from './routes/live.ts';
import { addMemoryRoutes } from './routes/memories.ts';
import { addMessageRoutes } from './routes/messages.ts';
import { addModelCallRoutes, createHttpModelCalls } from './routes/model-calls.ts';
import { addModelRoutes } from './routes/models.ts';
import { addOperationRoutes, addWatchRoutes } from './routes/operations.ts';
import { addPreflightRoute } from './routes/preflight.ts';
import { addPresetTaskRoute } from './routes/preset-tasks.ts';
import { addProxyRoutes, isProxyPath } from './routes/proxy.ts';
import { addRunHistoryRoutes } from './routes/run-history.ts';
import { addRunRoutes } from './routes/runs.ts';
import { addStartRunRoute } from './routes/start-run.ts';
import { addTriggerRoutes } from './routes/triggers.ts';
import { addSentRequestRoutes } from './routes/sent-requests.ts';
import { addMcpRoutes } from './routes/mcp.ts';
import { addPermissionRoutes } from './routes/permissions.ts';
import { addGroupRoutes } from './routes/groups.ts';
import { addScheduleRoutes } from './routes/schedules.ts';
import { addSessionRoutes } from './routes/session.ts';
import { addSettingsRoutes } from './routes/settings.ts';
import { addTabRoutes } from './routes/tabs.ts';
import { addUnsandboxedRoutes } from './routes/unsandboxed.ts';
import { addTranslationRoutes } from './routes/translations.ts';
import { addUsageRoutes } from './routes/usage.ts';
import { addWebhookRoutes } from './routes/webhook.ts';
import type { AppEnv, HttpAppOptions } from './types.ts';
import { createUpgrades } from './upgrades.ts';

/** The HTTP application without the socket, which `listen` opens. */
export type HttpApp = {
  fetch: Hono<AppEnv>['fetch'];
  /** Every route of the API, as described in the OpenAPI document. */
  readonly routes: readonly RouteDescription[];
  /** Every path with a handler, for the test that compares them with the OpenAPI document. */
  readonly handlers: Hono<AppEnv>['routes'];
  /** Path and fragment that sign in one browser, once. */
  signInPath(owner: Owner): Promise<string>;
  /** Accepts a WebSocket upgrade. */
  upgrade(incoming: IncomingMessage, socket: Duplex): void;
  /** The response to a request that could not be parsed. */
  answerError(thrown: unknown): Response;
  /** Ends all streams; new ones end at once. */
  close(): void;
};

/**
 * The API and the page on top of the services of a server.
 *
 * @example
 * const app = createHttpApp(deps);
 * const { url, close } = await listen(app, { host: '127.0.0.1', port: 8710, clock });
 */
export function createHttpApp(deps: HttpAppOptions): HttpApp {
  const { security, clock, log } = deps;
  const app = new Hono<AppEnv>({ strict: true });
  const auth = createAuth(deps);
  const { authentication } = auth;
  const eventStreams = createEventStreams(clock, log, (principal) => authentication.isStillValid(principal));
  const checkHost = createHostCheck(security);
  const checkName = createNameCheck(security);
  const hasDoor = deps.capabilities?.web !== false;
  const page = hasDoor ? createPage(deps.ui, (c) => deps.frames.originFor(c.env.incoming)) : noDoor;
  const answerError = (thrown: unknown, request = { method: '?', path: '?' }): Response =>
    problemAnswer(errorAnswer(thrown, request, deps));

  app.use(async (c, next) => {
    const { incoming } = c.env;
    checkTarget(incoming.url);
    const frame = hasDoor ? deps.frames.answer(incoming, checkName) : null;
    if (frame !== null) return frame;
    checkHost(incoming);
    return next();
  });
  app.onError((error, c) => answerError(error, { method: c.req.method, path: c.req.path }));
  app.notFound((c) => (hasDoor && isPartOfApi(c.req.path) ? answerError(noRoute(c.req.path)) : page(c)));

  const auto = createAutoConfirmation({ settings: deps.storage.settings, servers: deps.servers, clock });
  const router = createRouter(app, authentication, { auto });
  if (hasDoor) addRoutes(router, deps, { auth, auto, eventStreams });
  else addWatchRoutes(router, deps, authentication);
  const passUpgradeOn = addProxyRoutes(app, router, { proxy: deps.proxy, authentication, clock: deps.clock });
  refuseOtherMethods(app, router);

  const upgrades = createUpgrades(
    async (incoming, socket, signal) => {
      checkTarget(incoming.url);
      checkHost(incoming);
      if (!isProxyPath(incoming.url)) throw noWebSocket(incoming.url ?? '');
      await passUpgradeOn(incoming, socket, signal);
    },
    (thrown, { method = '?', url }) => errorAnswer(thrown, { method, path: url?.split('?', 1)[0] ?? '?' }, deps),
  );

  return {
    fetch: app.fetch,
    routes: router.descriptions,
    handlers: app.routes,
    signInPath: async (owner) => (await auth.sessions.createLink(owner)).path,
    upgrade: (incoming, socket) => upgrades.take(incoming, socket),
    answerError,
    close: () => {
      eventStreams.close();
      upgrades.close();
    },
  };
}

function addRoutes(
  router: Router,
  deps: HttpAppOptions,
  { auth, auto, eventStreams }: { auth: Auth; auto: AutoConfirmation; eventStreams: EventStreams },
): void {
  addSessionRoutes(router, auth, deps);
  addAccessRoutes(router, deps, auth);
  addConversationRoutes(router, deps);
  addMessageRoutes(router, deps);
  addArtifactRoutes(router, deps);
  addDraftRoutes(router, deps);
  addMemoryRoutes(router, deps);
  addTranslationRoutes(router, deps);
  addExportRoute(router, deps);
  addRunRoutes(router, deps, eventStreams);
  addStartRunRoute(router, deps, eventStreams);
  addRunHistoryRoutes(router, deps);
  addSentRequestRoutes(router, deps);
  addInterruptRoutes(router, deps);
  addWebhookRoutes(router, deps);
  addLiveRoutes(router, deps, eventStreams);
  addTabRoutes(router, deps, auto);
  addAgentRoutes(router, deps);
  addGroupRoutes(router, deps);
  addScheduleRoutes(router, deps);
  addTriggerRoutes(router, deps);
  addModelRoutes(router, deps);
  addMcpRoutes(router, deps, auto);
  addUnsandboxedRoutes(router, auto);
  addPermissionRoutes(router, deps);
  const calls = createHttpModelCalls(deps);
  addModelCallRoutes(router, deps, { calls, eventStreams });
  addPresetTaskRoute(router, deps, { calls, eventStreams });
  addPreflightRoute(router);
  addSettingsRoutes(router, deps);
  addBuiltInToolRoutes(router, deps);
  addSkillRoutes(router, deps);
  addUsageRoutes(router, deps);
  addFileRoutes(router, deps, auth);
  addImageRoutes(router);
  addOperationRoutes(router, deps, auth.authentication);
}

function refuseOtherMethods(app: Hono<AppEnv>, { descriptions }: Router): void {
  const methods = Map.groupBy(descriptions, ({ path }) => path);
  for (const [path, routes] of methods) {
    const known: string[] = routes.map(({ method }) => method);
    const allow = (known.includes('GET') ? [...known, 'HEAD'] : known).join(', ');
    app.all(honoPath(path), (c) => {
      const message = `${path} does not support ${c.req.method}; supported methods: ${allow}.`;
      throw refusal({ code: 'bad_request', message }, { status: 405, headers: { allow } });
    });
  }
}

/** An absolute URL as the target is meant for proxies, and would bypass the host check. */
function checkTarget(target: string | undefined): void {
  if (target?.startsWith('/')) return;
  throw refusal({ code: 'bad_request', message: 'The target of a request must start with a slash.' });
}

function noWebSocket(target: string) {
  const path = target.split('?', 1)[0] ?? '';
  return refusal({ code: 'not_found', message: `There is no WebSocket at ${quoted(path)}.` });
}

/** The response of a process without the web role. */
function noDoor(): never {
  throw refusal({
    code: 'not_found',
    message: 'This process has neither page nor API, only /health, /ready and /metrics.',
    hint: 'Use a process with --role web.',
  });
}

function isPartOfApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/') || path.startsWith('/webapi/');
}

function noRoute(path: string) {
  return refusal({
    code: 'not_found',
    message: `The API has no route ${quoted(path)}.`,
    hint: 'See /api/openapi.json for all routes.',
  });
}
