import { readFile } from 'node:fs/promises';
import { encodingFor } from '../responses.ts';
import type { PageFile } from './page-files.ts';
import { createPageFiles, INDEX } from './page-files.ts';
import { quoted, refusal } from '../problems.ts';
import {
  codePolicy,
  networkPolicy,
  pagePolicy,
  permissionsPolicy,
  scriptPolicy,
} from '../transport/response-headers.ts';
import type { AppContext, UiOptions } from '../types.ts';

/** Paths for which the page has a view; for others it shows its own "not found". */
const VIEWS = /^\/(c\/[^/]+|inbox|agents(\/.*)?|groups\/[^/]+|runs(\/[^/]+)?|settings(\/.*)?)?$/;
/**
 * Worker that connects to MCP servers for the page, which its own policy forbids. Only scripts of the page can start
 * it, so texts of models gain nothing.
 */
const NETWORK_WORKER = /^\/_app\/immutable\/workers\/tab-network-worker-[\w-]+\.js$/;
/** Worker that highlights code; it loads a grammar for each language. */
const CODE_WORKER = /^\/_app\/immutable\/workers\/code-worker-[\w-]+\.js$/;
/** The worker that executes scripts of `run_javascript`. */
const SCRIPT_WORKER = /^\/_app\/immutable\/workers\/script-worker-[\w-]+\.js$/;
/** File names here contain a content hash. */
const IMMUTABLE = '/_app/immutable/';

/** Serves everything outside the API: the page and its files. */
export function createPage(
  ui: UiOptions,
  frameOrigin: (c: AppContext) => string | null,
): (c: AppContext) => Promise<Response> {
  const { folder } = ui;
  if (!ui.enabled) return async (c) => withoutPage(c);
  if (folder === null) return async () => notBuilt();
  const files = createPageFiles(folder);

  async function send(c: AppContext, file: PageFile, status: number, more: Record<string, string>): Promise<Response> {
    const headers: Record<string, string> = {
      'content-type': file.contentType,
      etag: file.etag,
      vary: 'accept-encoding',
      ...more,
    };
    if (status === 200 && c.req.header('if-none-match') === file.etag)
      return new Response(null, { status: 304, headers });
    const encoding = encodingFor(c.req.header('accept-encoding'), file.encodings);
    if (encoding !== undefined) headers['content-encoding'] = encoding;
    return new Response(new Uint8Array(await readFile(files.getFile(file.path, encoding))), { status, headers });
  }

  return async (c) => {
    refuseApiPath(c.req.path);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw onlyRead(c.req.method);
    const page = files.look();
    const index = page?.files.get(INDEX);
    if (page === null || index === undefined) return notBuilt();
    const path = c.req.path;
    const asset = path === INDEX ? undefined : page.files.get(path);
    if (asset !== undefined) {
      const kept = path.startsWith(IMMUTABLE) ? 'public, max-age=31536000, immutable' : 'no-cache';
      const policy = policyOfWorker(path);
      return send(c, asset, 200, {
        'cache-control': kept,
        ...(policy !== null && { 'content-security-policy': policy }),
      });
    }
    if (path.startsWith('/_app/')) throw notThere(path);
    const frames = frameOrigin(c);
    return send(c, index, VIEWS.test(path) ? 200 : 404, {
      'cache-control': 'no-cache',
      'content-security-policy': pagePolicy(page.scriptHashes, frames),
      'permissions-policy': permissionsPolicy(frames),
    });
  };
}

function policyOfWorker(path: string): string | null {
  if (NETWORK_WORKER.test(path)) return networkPolicy();
  if (SCRIPT_WORKER.test(path)) return scriptPolicy();
  return CODE_WORKER.test(path) ? codePolicy() : null;
}

/** Where clients of well-known APIs send requests: they need an error that they can read, not a page. */
const API_PATHS = /^\/(v\d+(beta)?|openai|anthropic|agui|ag-ui|a2a|mcp|sse|messages|openapi\.json|\.well-known)(\/|$)/;

/** @throws ProblemAnswer 404 for the path of an API that this server does not have */
function refuseApiPath(path: string): void {
  if (!API_PATHS.test(path)) return;
  throw refusal({
    code: 'not_found',
    message: `There is no API at ${quoted(path)}.`,
    hint: 'The API of Toolyard is at /api; /api/openapi.json describes it.',
  });
}

function withoutPage(c: AppContext): Response {
  refuseApiPath(c.req.path);
  if (c.req.path !== '/') throw notThere(c.req.path);
  return text(200, 'Toolyard runs without its page (--no-ui). The API is at /api; /api/openapi.json describes it.\n');
}

function notBuilt(): Response {
  return text(
    503,
    'The page of Toolyard has not been built in this folder. Run "npm run build" and reload this URL.\nThe ' +
      'API works without it: /api/openapi.json describes it.\n',
  );
}

function text(status: number, body: string): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function notThere(path: string) {
  return refusal({ code: 'not_found', message: `There is no file or page at ${quoted(path)}.` });
}

function onlyRead(method: string) {
  return refusal(
    { code: 'bad_request', message: `${method} is not supported here: the page is read-only.` },
    { status: 405, headers: { allow: 'GET, HEAD' } },
  );
}
