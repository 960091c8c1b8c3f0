/**
 * Every request of the page to its server carries the session, so it goes through `api`, `request`, `sessionFetch` or
 * `fetchWithSession` of `packages/web/src/lib/api`; everything else that sends requests is an error in the page.
 */
const INSTEAD = 'It sends no session. Use api, request, sessionFetch or fetchWithSession of lib/api.';

export const PAGE_GLOBALS = ['fetch', 'EventSource', 'XMLHttpRequest', 'WebSocket'].map((name) => ({
  name,
  message: INSTEAD,
}));

export const PAGE_MEMBERS = {
  selector:
    'MemberExpression[object.name=/^(window|self|globalThis|navigator)$/]' +
    '[property.name=/^(fetch|EventSource|XMLHttpRequest|WebSocket|sendBeacon)$/]',
  message: INSTEAD,
};

/** An image or a link of the browser sends the cookie without the secret. */
const PATH = String.raw`/^\u002f(api|webapi|props)\b/`;
const ATTRIBUTE = 'SvelteAttribute[key.name=/^(src|srcset|href|poster|data)$/]';
const LINK = 'It sends no session. Use fileUrls for media, and saveFrom for downloads.';

export const PAGE_LINKS = [
  { selector: `${ATTRIBUTE} SvelteLiteral[value=${PATH}]`, message: LINK },
  { selector: `${ATTRIBUTE} Literal[value=${PATH}]`, message: LINK },
  { selector: `${ATTRIBUTE} TemplateElement[value.raw=${PATH}]`, message: LINK },
];

/** The session itself, requests to the servers of others, and a WebSocket whose URL has a ticket. */
export const PAGE_EXCEPTIONS = [
  'packages/web/src/lib/api/session-fetch.ts',
  'packages/web/src/lib/mcp/tab-network-worker.ts',
  'packages/web/src/lib/mcp/proxy.ts',
  'packages/web/src/**/*.test.ts',
  'packages/web/src/**/test-fixtures/**',
];
