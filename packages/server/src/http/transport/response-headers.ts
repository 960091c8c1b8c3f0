import type { ServerResponse } from 'node:http';

/** Only the page itself may load or run anything. */
const CSP_OF_DATA = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Headers of every response; some responses override them. */
export function setStandardHeaders(outgoing: ServerResponse): void {
  outgoing.setHeader('content-security-policy', CSP_OF_DATA);
  outgoing.setHeader('x-content-type-options', 'nosniff');
  outgoing.setHeader('referrer-policy', 'no-referrer');
  outgoing.setHeader('cross-origin-opener-policy', 'same-origin');
  outgoing.setHeader('cross-origin-resource-policy', 'same-origin');
}

/**
 * The policy of the page: it may load from this server only. Content of models and tools cannot cause requests
 * elsewhere, so data cannot leak through URLs.
 *
 * @param scriptHashes of the inline scripts in its HTML
 * @param frames the only origin of frames; null: the page's own, whose only documents for frames are sandboxed
 */
export function pagePolicy(scriptHashes: readonly string[], frames: string | null): string {
  const scripts = ["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)].join(' ');
  return [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "style-src 'self' 'unsafe-inline'",
    `script-src ${scripts}`,
    "connect-src 'self'",
    `frame-src ${frames ?? "'self'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; ');
}

/** Abilities that the page may ask its user for, and pass on to a frame; by their names in `Permissions-Policy`. */
const PASSED_ON = ['camera', 'microphone', 'geolocation', 'clipboard-write'];
const NEVER_USED = [
  'accelerometer',
  'display-capture',
  'gyroscope',
  'hid',
  'magnetometer',
  'midi',
  'payment',
  'serial',
  'usb',
];

/**
 * The abilities of the page, which nothing else in the window has. A frame, such as that of an MCP App, has one of them
 * only if its attribute `allow` names it, after the user allowed it.
 *
 * @param frames as for {@link pagePolicy}; documents with an opaque origin match no name of an origin
 */
export function permissionsPolicy(frames: string | null): string {
  const allowed = frames === null ? '*' : `(self "${frames}")`;
  return [...PASSED_ON.map((name) => `${name}=${allowed}`), ...NEVER_USED.map((name) => `${name}=()`)].join(', ');
}

/** The policy of the worker that connects to MCP servers for the page: it may connect, and load nothing. */
export function networkPolicy(): string {
  return "default-src 'none'; connect-src http: https: ws: wss:";
}

/** The policy of the worker that highlights code: it may load scripts of this server, and nothing else. */
export function codePolicy(): string {
  return "default-src 'none'; script-src 'self'";
}

/** The policy of the worker that executes scripts of models in WebAssembly: it may load scripts of this server only. */
export function scriptPolicy(): string {
  return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
}
