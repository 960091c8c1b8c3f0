import type { ServerResponse } from 'node:http';

/** Nothing but the page itself may load or run anything. */
const CSP_OF_DATA = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** What every answer carries, whatever it is; single ones may say more. */
export function setStandardHeaders(outgoing: ServerResponse): void {
  outgoing.setHeader('content-security-policy', CSP_OF_DATA);
  outgoing.setHeader('x-content-type-options', 'nosniff');
  outgoing.setHeader('referrer-policy', 'no-referrer');
  outgoing.setHeader('cross-origin-opener-policy', 'same-origin');
  outgoing.setHeader('cross-origin-resource-policy', 'same-origin');
}

/**
 * What the page may do: load from this server only. Whatever a model or a tool writes into it, no address elsewhere
 * is asked for anything, so nothing can be carried away in one.
 *
 * @param scriptHashes of the scripts that stand in its HTML
 */
export function pagePolicy(scriptHashes: readonly string[]): string {
  const scripts = ["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)].join(' ');
  return [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "style-src 'self' 'unsafe-inline'",
    `script-src ${scripts}`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; ');
}

/** What the worker may do that goes to MCP servers for the page: that, and load nothing. */
export function networkPolicy(): string {
  return "default-src 'none'; connect-src http: https: ws: wss:";
}
