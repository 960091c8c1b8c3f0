import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Clock, Principal } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { Hono } from 'hono';
import { hasProxyHeader, requestHeaders, responseHeaders, forwardableHeaders } from '../../proxy/headers.ts';
import type { Proxy } from '../../proxy/proxy.ts';
import { pipeBoth } from '../../proxy/proxy.ts';
import type { Authentication } from '../auth/authentication.ts';
import { requireScope } from '../auth/scopes.ts';
import { watchCredential } from '../auth/watch-credential.ts';
import { readBodyBytes } from '../transport/body.ts';
import { ProblemAnswer, refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { AppContext, AppEnv } from '../types.ts';

/** The second is the path in llama-server. */
const PATHS = ['/api/proxy', '/cors-proxy'];
/** Bodies up to this size are buffered so that a redirect can resend them; longer ones are streamed. */
const SENT_AGAIN_UP_TO = 256 * 1024;
const LONGEST_BODY = 64 * 1024 * 1024;

type ProxyRequest = { target: string; headers: Record<string, string>; principal: Principal };

/** Closes what stays open once the credential becomes invalid. */
type Watch = (principal: Principal, end: () => void) => () => void;

/** Adds the HTTP routes of the proxy; returns the handler for WebSockets. */
export function addProxyRoutes(
  app: Hono<AppEnv>,
  { route }: Router,
  {
    proxy,
    authentication,
    clock,
  }: { proxy: Proxy | null; authentication: Authentication; clock: Pick<Clock, 'after'> },
): (incoming: IncomingMessage, socket: Duplex, signal: AbortSignal) => Promise<void> {
  const isStillValid = (principal: Principal): Promise<boolean> => authentication.isStillValid(principal);
  const watch: Watch = (principal, end) => watchCredential({ isStillValid, clock }, principal, end);

  route('POST /api/proxy/tickets', ({ principal, body }) => isOn(proxy).tickets.create(principal, body));

  for (const path of PATHS) {
    app.all(path, async (c) => {
      const principal = await authentication.getPrincipal(c.env.incoming, { key: 'proxy' });
      requireScope(principal, 'servers');
      try {
        return await passOn(c, { proxy: isOn(proxy), principal, watch });
      } catch (thrown) {
        throw marked(thrown);
      }
    });
  }

  return async (incoming, socket, signal) => {
    const principal = isTicketAlone(incoming) ? null : await authentication.getPrincipal(incoming, { key: 'proxy' });
    if (principal !== null) requireScope(principal, 'servers');
    await passUpgradeOn(incoming, socket, { proxy: isOn(proxy), principal, signal, isStillValid, watch });
  };
}

/** Whether an upgrade request is for the proxy. */
export function isProxyPath(target: string | undefined): boolean {
  return PATHS.includes(target?.split('?', 1)[0] ?? '');
}

/** Browsers cannot send headers with a WebSocket: the ticket, which only the page could create, is the credential. */
function isTicketAlone({ url, headers }: IncomingMessage): boolean {
  return readQuery(url).has('ticket') && headers.authorization === undefined;
}

function readQuery(url: string | undefined): URLSearchParams {
  return new URLSearchParams(url?.split('?').slice(1).join('?'));
}

function isOn(proxy: Proxy | null): Proxy {
  if (proxy !== null) return proxy;
  throw refusal({
    code: 'not_found',
    message: 'The proxy for MCP servers is disabled.',
    hint: 'Start the server with --ui-mcp-proxy or TOOLYARD_UI_MCP_PROXY=1.',
  });
}

async function passOn(
  c: AppContext,
  { proxy, principal, watch }: { proxy: Proxy; principal: Principal; watch: Watch },
): Promise<Response> {
  const { incoming, outgoing } = c.env;
  refuseForeignUse(incoming);
  const { target, headers } = readProxyRequest(incoming, proxy, principal);
  const leave = proxy.enter();
  const control = new AbortController();
  outgoing.on('close', () => control.abort());
  // The other server may send events for an unlimited time.
  const unwatch = watch(principal, () => outgoing.destroy());
  try {
    const body = await readBody(incoming);
    const response = await proxy.fetch(target, {
      method: incoming.method ?? 'GET',
      headers,
      signal: control.signal,
      ...(body === null ? {} : { body, duplex: 'half' }),
    });
    await answer(outgoing, response, incoming.method === 'HEAD');
  } finally {
    unwatch();
    leave();
  }
  return RESPONSE_ALREADY_SENT;
}

/** Images, scripts and links on the page must not use the proxy, whatever their URL. */
function refuseForeignUse(incoming: IncomingMessage): void {
  const kind = incoming.headers['sec-fetch-dest'];
  // Over plain HTTP from another machine browsers omit Sec-Fetch headers; a cookie then identifies a browser.
  const isUnclear = kind === undefined && incoming.headers.cookie !== undefined && !hasProxyHeader(incoming);
  if (kind === undefined ? !isUnclear : kind === 'empty') return;
  throw refusal({
    code: 'forbidden',
    message: 'The proxy answers only requests of scripts; its responses cannot be shown, run or embedded.',
    hint: 'Send headers for the other server with the prefix x-toolyard-proxy-header-.',
  });
}

/** @param principal null if the ticket is the only credential */
function readProxyRequest(incoming: IncomingMessage, proxy: Proxy, principal: Principal | null): ProxyRequest {
  const query = readQuery(incoming.url);
  const ticket = query.get('ticket');
  if (ticket !== null) {
    const redeemed = proxy.tickets.redeem(principal, ticket);
    if (redeemed === null) throw wrongTicket();
    const { accept, 'content-type': type } = requestHeaders(incoming);
    const own = {
      ...defined({ accept, 'content-type': type }),
    };
    return {
      target: redeemed.target,
      headers: forwardableHeaders({ ...own, ...redeemed.headers }),
      principal: principal ?? redeemed.principal,
    };
  }
  const target = query.get('url');
  if (principal === null) throw wrongTicket();
  if (target !== null && URL.canParse(target)) return { target, headers: requestHeaders(incoming), principal };
  throw refusal({
    code: 'bad_request',
    message:
      target === null ? 'The query parameter url is missing.' : 'The query parameter url is not an absolute URL.',
    hint: 'Use a form such as /api/proxy?url=https%3A%2F%2Fmcp.example.com%2Fmcp.',
  });
}

function wrongTicket(): ProblemAnswer {
  return refusal({
    code: 'forbidden',
    message: 'This ticket is invalid: it was used, has expired, or was created for another user.',
    hint: 'Create a new one with POST /api/proxy/tickets.',
  });
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | WebStream | null> {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return null;
  const length = incoming.headers['content-length'];
  if (length === undefined && incoming.headers['transfer-encoding'] === undefined) return null;
  if (length !== undefined && Number(length) <= SENT_AGAIN_UP_TO) return readBodyBytes(incoming, SENT_AGAIN_UP_TO);
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > LONGEST_BODY ? createTooLongError() : null, chunk);
    },
  });
  incoming.on('error', (error) => bounded.destroy(error)).on('aborted', () => bounded.destroy());
  return Readable.toWeb(incoming.pipe(bounded));
}

function createTooLongError(): ToolyardError {
  return new ToolyardError({
    code: 'too_large',
    message: `The proxy forwards at most ${String(LONGEST_BODY / 1024 / 1024)} MB.`,
  });
}

/** Streams with backpressure: reads no further than the client does. */
async function answer(outgoing: ServerResponse, response: Response, isHead: boolean): Promise<void> {
  outgoing.writeHead(response.status, responseHeaders(response.headers));
  if (isHead || response.body === null) {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  // If one side disconnects, close the connection to the other.
  await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => outgoing.destroy());
}

/** Marks errors of the proxy, so that a page can distinguish them from those of the server behind it. */
function marked(thrown: unknown): unknown {
  const mark = { 'x-toolyard-proxy': 'refused' };
  if (thrown instanceof ProblemAnswer) return new ProblemAnswer(thrown.problem, { ...thrown.headers, ...mark });
  if (!ToolyardError.isInstance(thrown)) return thrown;
  return refusal(thrown.toJSON(), { headers: mark });
}

const HANDSHAKE = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
] as const;
const AGREED = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const;

type UpgradeOptions = {
  proxy: Proxy;
  /** Null if the ticket is the only credential. */
  principal: Principal | null;
  signal: AbortSignal;
  isStillValid: Authentication['isStillValid'];
  watch: Watch;
};

/** Connects the two handshakes; the data that follows passes unchanged. */
async function passUpgradeOn(
  incoming: IncomingMessage,
  socket: Duplex,
  { proxy, principal: sender, signal, isStillValid, watch }: UpgradeOptions,
): Promise<void> {
  const { target, headers, principal } = readProxyRequest(incoming, proxy, sender);
  // The creator of the ticket may have signed out since.
  if (sender === null && !(await isStillValid(principal))) throw wrongTicket();
  const { 'accept-encoding': _none, ...rest } = headers;
  const leave = proxy.enter();
  socket.once('close', leave);
  const stop = new AbortController();
  socket.once('close', () => stop.abort());
  socket.once(
    'close',
    watch(principal, () => socket.destroy()),
  );
  const handshake = named(incoming.headers, HANDSHAKE);
  const far = await proxy.upgrade(target, { ...rest, ...handshake }, AbortSignal.any([signal, stop.signal]));
  const agreed = Object.entries(named(far.headers, AGREED)).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n${agreed.join('')}\r\n`,
  );
  signal.addEventListener('abort', () => far.socket.destroy(), { once: true });
  pipeBoth(socket, far.socket);
}

function named(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) found[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return found;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '');
}
