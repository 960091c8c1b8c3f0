import { REFUSED, refuse } from './refusals.ts';

/** Headers that pages of other origins may send, and read of the response. */
const HEADERS_IN =
  'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';
const HEADERS_OUT = 'mcp-session-id, www-authenticate';

export type ClientAuthorizer = {
  /** The response to a rejected request or a CORS preflight; undefined: the request is allowed. */
  answer(request: Request): Response | undefined;
  /** Adds CORS headers if the requesting page may read the response. */
  open(request: Request, response: Response): Response;
};

/**
 * Guards against pages of other sites: a page can make a browser send requests here, and its name may resolve to this
 * machine (DNS rebinding). `Host` contains its name then, and `Origin` its origin.
 *
 * @param hosts names of this server, with or without port; null if the caller checks `Host`
 * @param origins allowed origins of pages on other hosts, such as `https://app.example`
 */
export function authorizeClient(hosts: readonly string[] | null, origins: readonly string[]): ClientAuthorizer {
  const names = hosts?.map((host) => host.toLowerCase());
  const pages = new Set(origins.map((origin) => origin.toLowerCase()));
  const foreign = (request: Request): string | undefined => {
    const origin = request.headers.get('origin')?.toLowerCase();
    return origin !== undefined && pages.has(origin) ? origin : undefined;
  };
  return {
    answer(request) {
      const host = getHost(request);
      if (names !== undefined && (host === null || !isOurs(host, names))) {
        return refuse(403, REFUSED, 'The Host header is not a name of this server.');
      }
      const page = foreign(request);
      if (page === undefined && !isSameOrigin(request.headers.get('origin'), host)) {
        return refuse(403, REFUSED, 'The origin of this request is not allowed.');
      }
      if (page === undefined || request.method !== 'OPTIONS') return undefined;
      return new Response(null, {
        status: 204,
        headers: { 'access-control-allow-methods': 'GET, POST, DELETE', 'access-control-allow-headers': HEADERS_IN },
      });
    },
    open(request, response) {
      const page = foreign(request);
      if (page === undefined) return response;
      response.headers.set('access-control-allow-origin', request.headers.get('origin') ?? '');
      response.headers.set('access-control-expose-headers', HEADERS_OUT);
      response.headers.append('vary', 'origin');
      return response;
    },
  };
}

type Host = { name: string; port: string };

function getHost(request: Request): Host | null {
  return readHost(request.headers.get('host') ?? new URL(request.url).host);
}

function readHost(text: string): Host | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  return match?.[1] === undefined ? null : { name: match[1].toLowerCase(), port: match[2] ?? '' };
}

function isOurs({ name, port }: Host, names: readonly string[]): boolean {
  return names.includes(name) || names.includes(`${name}:${port}`);
}

/** Clients other than browsers send no Origin. */
function isSameOrigin(origin: string | null, host: Host | null): boolean {
  if (origin === null) return true;
  const match = /^(https?):\/\/(.+)$/i.exec(origin);
  const from = readHost(match?.[2] ?? '');
  if (from === null || host === null || from.name !== host.name) return false;
  const usual = match?.[1]?.toLowerCase() === 'https' ? '443' : '80';
  return (from.port || usual) === (host.port || usual);
}
