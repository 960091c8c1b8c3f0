import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FramePolicy } from '@toolyard/protocol';
import { readFrameQuery } from '@toolyard/protocol';
import type { IframeOrigins } from './iframe-origins.ts';

/** All documents of frames are below this path. */
export const FRAME_PATHS = '/frame/';
const OUTER = '/frame/outer';
const CONTENT = '/frame/content';

type IframeRequest = {
  method: string;
  /** Path and query. */
  target: string;
  /** `Sec-Fetch-Dest`, if the browser sends it. */
  destination: string | undefined;
};
/**
 * `separate`: on an origin that serves nothing else. `shared`: on the origin of the page, where `sandbox` makes the
 * origin of the documents opaque.
 */
type IframePlace = 'separate' | 'shared';

/** Answers requests for documents of frames. Cookies are neither read nor set. */
export type IframeDocuments = (request: IframeRequest, place: IframePlace) => Promise<Response>;

/**
 * Two documents. The outer one is in the page, passes messages on, and contains the second: its policy allows no frame
 * except `CONTENT`, so that content cannot send data away by navigating itself. The content document writes the HTML
 * into itself that it receives; it is always sandboxed with an opaque origin, and its query is its network policy.
 *
 * @param folder of the built page; null if the page was not built
 */
export function createIframeDocuments(folder: string | null, origins: Pick<IframeOrigins, 'isPage'>): IframeDocuments {
  return async ({ method, target, destination }, place) => {
    const url = URL.canParse(target, 'http://frame') ? new URL(target, 'http://frame') : null;
    if (url === null || folder === null || (url.pathname !== OUTER && url.pathname !== CONTENT)) {
      return plain(404, 'There is nothing at this path.');
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return plain(405, `${method} is not supported.`, { allow: 'GET, HEAD' });
    }
    // A tab of its own would show content under a name that belongs to Toolyard.
    if (destination !== undefined && destination !== 'iframe') return plain(403, 'This document is for frames only.');
    const page = url.searchParams.get('page') ?? '';
    if (!origins.isPage(page)) return plain(403, 'The parameter "page" is not the origin of a page of this server.');
    const policy = readFrameQuery(url.searchParams);
    if (typeof policy === 'string') return plain(400, policy);
    const isOuter = url.pathname === OUTER;
    const script = await readScript(folder, isOuter ? 'outer' : 'content');
    if (script === null) return plain(503, 'The page of Toolyard has not been built. Run "npm run build".');
    const html = isOuter ? outerHtml(script) : contentHtml(script);
    const csp = isOuter ? outerPolicy(script, page, place) : contentPolicy(policy, page, place);
    return new Response(method === 'HEAD' ? null : html, {
      headers: {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': csp,
        ...(place === 'separate' ? { 'origin-agent-cluster': '?1' } : {}),
        ...(isOuter || policy.frames.length > 0 ? {} : { 'connection-allowlist': allowedConnections(policy) }),
      },
    });
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The names of hosts in links are data too.
  'x-dns-prefetch-control': 'off',
};

const OUTER_STYLE = 'html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0}body{overflow:hidden}';

function outerHtml(script: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Frame</title><style>${OUTER_STYLE}</style><body><script>${script}</script></body>`;
}

function contentHtml(script: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Frame</title><body><script>${script}</script></body>`;
}

function outerPolicy(script: string, page: string, place: IframePlace): string {
  return [
    "default-src 'none'",
    `script-src '${hashText(script)}'`,
    `style-src '${hashText(OUTER_STYLE)}'`,
    "frame-src 'self'",
    `frame-ancestors ${place === 'separate' ? page : "'self'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    `sandbox allow-scripts allow-forms${place === 'separate' ? ' allow-same-origin' : ''}`,
  ].join('; ');
}

/**
 * Code of any kind may run: all of it is content of the same trust. `allow-forms` lets scripts handle forms, whose
 * submission `form-action` forbids.
 */
function contentPolicy(
  { connect, resources, frames, baseUris }: FramePolicy,
  page: string,
  place: IframePlace,
): string {
  const from = (fixed: string, sources: readonly string[]): string => [fixed, ...sources].join(' ').trim();
  return [
    "default-src 'none'",
    `script-src ${from("'unsafe-inline' 'unsafe-eval' blob: data:", resources)}`,
    `worker-src ${from('blob: data:', resources)}`,
    `style-src ${from("'unsafe-inline' blob: data:", resources)}`,
    `img-src ${from('blob: data:', resources)}`,
    `font-src ${from('blob: data:', resources)}`,
    `media-src ${from('blob: data:', resources)}`,
    `connect-src ${from('blob: data:', connect)}`,
    `frame-src ${from('', frames) || "'none'"}`,
    `base-uri ${from('', baseUris) || "'none'"}`,
    "object-src 'none'",
    "form-action 'none'",
    // An ancestor with an opaque origin matches nothing.
    ...(place === 'separate' ? [`frame-ancestors 'self' ${page}`] : []),
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}

/**
 * WebRTC obeys no `Content-Security-Policy`. With this header (Chromium), the document and what is inside of it open no
 * connection to anything else. Documents of declared frames have a network of their own.
 */
function allowedConnections({ connect, resources }: FramePolicy): string {
  const patterns = [...new Set([...connect, ...resources])].map((source) => `"${source}/*"`);
  return `(${patterns.join(' ')})`;
}

function hashText(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

async function readScript(folder: string, name: string): Promise<string | null> {
  try {
    return await readFile(join(folder, 'frames', `${name}.js`), 'utf8');
  } catch {
    return null;
  }
}

function plain(status: number, text: string, more: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      ...HEADERS,
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      ...more,
    },
  });
}
