import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Owner } from '@toolyard/protocol';
import { Hono } from 'hono';
import { createAutoConfirmation } from '../config/auto-confirmation.ts';
import { problemAnswer } from './responses.ts';
import { createAuth } from './auth/create-auth.ts';
import { createEventStreams } from './transport/event-stream.ts';
import { createHostCheck, createNameCheck } from './transport/hosts.ts';
import { createPage } from './page/page.ts';
import { errorAnswer, quoted, refusal } from './problems.ts';
import type { RouteDescription, Router } from './transport/router.ts';
import { createRouter, honoPath } from './transport/router.ts';
import { ADD_ROUTES } from './routes/index.ts';
import { createHttpModelCalls } from './routes/model-calls.ts';
import { addWatchRoutes } from './routes/operations.ts';
import { addProxyRoutes, isProxyPath } from './routes/proxy.ts';
import type { AppEnv, HttpAppOptions } from './types.ts';
import { createUpgrades } from './transport/upgrades.ts';

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
  const servesApi = deps.capabilities?.web !== false;
  const page = servesApi ? createPage(deps.ui, (c) => deps.frames.originFor(c.env.incoming)) : throwNoApi;
  const answerError = (thrown: unknown, request = { method: '?', path: '?' }): Response =>
    problemAnswer(errorAnswer(thrown, request, deps));

  app.use(async (c, next) => {
    const { incoming } = c.env;
    checkTarget(incoming.url);
    const frame = servesApi ? deps.frames.answer(incoming, checkName) : null;
    if (frame !== null) return frame;
    checkHost(incoming);
    return next();
  });
  app.onError((error, c) => answerError(error, { method: c.req.method, path: c.req.path }));
  app.notFound((c) => (servesApi && isPartOfApi(c.req.path) ? answerError(noRoute(c.req.path)) : page(c)));

  const auto = createAutoConfirmation({ settings: deps.storage.settings, servers: deps.servers, clock });
  const router = createRouter(app, authentication, { auto });
  if (servesApi) {
    const context = { ...deps, auth, auto, eventStreams, calls: createHttpModelCalls(deps) };
    for (const addRoutes of ADD_ROUTES) addRoutes(router, context);
  } else addWatchRoutes(router, deps, authentication);
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
function throwNoApi(): never {
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
