import { REFUSED, refuse } from './refusals.ts';

/** What a browser's page elsewhere may send along, and read of the answer. */
const HEADERS_IN =
  'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';
const HEADERS_OUT = 'mcp-session-id, www-authenticate';

export type ClientAuthorizer = {
  /** The answer to a request from where none may come, or one that only asks whether it may. */
  answer(request: Request): Response | undefined;
  /** Lets the page that asked read the answer, where it may. */
  open(request: Request, response: Response): Response;
};

/**
 * Guards against pages elsewhere: one can make a browser send requests here, and can let its own name lead to this
 * machine (DNS rebinding). Its name then stands in `Host`, and its origin in `Origin`.
 *
 * @param hosts names this server is called by, with or without port; null where that has been checked already
 * @param origins pages that may ask although they are served by another host, such as `https://app.example`
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
      const host = hostOf(request);
      if (names !== undefined && (host === null || !isOurs(host, names))) {
        return refuse(403, REFUSED, 'This server was called by a name that is not one of its own.');
      }
      const page = foreign(request);
      if (page === undefined && !isSameOrigin(request.headers.get('origin'), host)) {
        return refuse(403, REFUSED, 'This request was made by a page that may not ask here.');
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

function hostOf(request: Request): Host | null {
  return readHost(request.headers.get('host') ?? new URL(request.url).host);
}

function readHost(text: string): Host | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  return match?.[1] === undefined ? null : { name: match[1].toLowerCase(), port: match[2] ?? '' };
}

function isOurs({ name, port }: Host, names: readonly string[]): boolean {
  return names.includes(name) || names.includes(`${name}:${port}`);
}

/** Clients that are no browser send none. */
function isSameOrigin(origin: string | null, host: Host | null): boolean {
  if (origin === null) return true;
  const match = /^(https?):\/\/(.+)$/i.exec(origin);
  const from = readHost(match?.[2] ?? '');
  if (from === null || host === null || from.name !== host.name) return false;
  const usual = match?.[1]?.toLowerCase() === 'https' ? '443' : '80';
  return (from.port || usual) === (host.port || usual);
}
