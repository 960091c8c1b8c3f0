import type { CheckPreflight, Fetch, PreflightView } from '@toolyard/protocol';
import { VERSION } from '@toolyard/protocol';

type Problem = PreflightView['problems'][number];

/** Time limit of a server's preflight response, in milliseconds. */
const PREFLIGHT_TIMEOUT_MS = 10_000;

/** Headers of every request after a session was created. */
const OURS = ['content-type', 'mcp-protocol-version', 'mcp-session-id'];

/**
 * Sends the requests of a browser and a page that connects: a CORS preflight, then `initialize`. Reports the missing
 * header if a browser would block them.
 *
 * @param fetch may connect to the URL that the owner entered
 * @param origin of the page
 */
export async function checkPreflight(
  { url, headers = [] }: CheckPreflight,
  { fetch, origin, signal }: { fetch: Fetch; origin: string; signal: AbortSignal },
): Promise<PreflightView> {
  const timed = AbortSignal.any([signal, AbortSignal.timeout(PREFLIGHT_TIMEOUT_MS)]);
  const names = [...new Set([...OURS, ...headers.map((name) => name.toLowerCase())])].sort();
  const ask = (init: RequestInit): Promise<Response> => fetch(url, { ...init, redirect: 'manual', signal: timed });
  try {
    const permission = await ask({
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': names.join(','),
      },
    });
    void permission.body?.cancel();
    const problems = [...ofPermission(permission, origin, names), ...(await ofHello(ask, origin))];
    const unique = problems.filter(({ message }, at) => problems.findIndex((one) => one.message === message) === at);
    return { ok: unique.length === 0, problems: unique };
  } catch (thrown) {
    signal.throwIfAborted();
    // Errors of the guard are returned to the caller.
    if (!(thrown instanceof TypeError) && !timed.aborted) throw thrown;
    const message = timed.aborted
      ? 'The server does not respond to a CORS preflight (OPTIONS).'
      : 'The server is not reachable from the Toolyard server either.';
    return { ok: false, problems: [{ header: null, message }] };
  }
}

function ofPermission(permission: Response, origin: string, names: readonly string[]): Problem[] {
  if (permission.status < 200 || permission.status > 299) {
    const status = String(permission.status);
    const what =
      permission.status >= 300 && permission.status < 400
        ? `The server responds to a CORS preflight (OPTIONS) with a redirect (${status}), which browsers do not follow.`
        : `The server responds to a CORS preflight (OPTIONS) with ${status}; it must be 200 or 204.`;
    return [{ header: null, message: what }, ...corsProblems(permission, origin)];
  }
  const allowed = readList(permission, 'access-control-allow-headers');
  // A star includes every header except Authorization.
  const refused = names.filter(
    (name) => !allowed.includes(name) && (name === 'authorization' || !allowed.includes('*')),
  );
  const methods = readList(permission, 'access-control-allow-methods');
  return [
    ...corsProblems(permission, origin),
    ...lacking('access-control-allow-headers', refused),
    // Without DELETE sessions are never ended; everything else works.
    ...(methods.length > 0 && !methods.includes('delete') && !methods.includes('*')
      ? lacking('access-control-allow-methods', ['DELETE'])
      : []),
  ];
}

/** Initializes like the page; a created session is deleted. */
async function ofHello(ask: (init: RequestInit) => Promise<Response>, origin: string): Promise<Problem[]> {
  const hello = await ask({
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'toolyard-preflight', version: VERSION },
      },
    }),
  });
  void hello.body?.cancel();
  const session = hello.headers.get('mcp-session-id');
  if (session === null) return corsProblems(hello, origin);
  const goodbye = await ask({ method: 'DELETE', headers: { origin, 'mcp-session-id': session } });
  void goodbye.body?.cancel();
  const exposed = readList(hello, 'access-control-expose-headers');
  const isExposed = exposed.includes('mcp-session-id') || exposed.includes('*');
  return [
    ...corsProblems(hello, origin),
    ...(isExposed ? [] : lacking('access-control-expose-headers', ['Mcp-Session-Id'])),
  ];
}

function corsProblems(response: Response, origin: string): Problem[] {
  const header = 'Access-Control-Allow-Origin';
  const value = response.headers.get(header)?.trim();
  if (value === '*' || value === origin) return [];
  const is = value === undefined ? `does not send ${header}` : `sends ${header}: ${value.slice(0, 120)}`;
  return [{ header, message: `The server ${is}; browsers require ${origin} or *.` }];
}

function lacking(header: string, values: readonly string[]): Problem[] {
  if (values.length === 0) return [];
  const name = header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return [{ header: name, message: `The server's ${name} does not list ${values.join(', ')}.` }];
}

function readList(response: Response, header: string): string[] {
  return (response.headers.get(header) ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '');
}
