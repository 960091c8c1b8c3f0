import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Encoding } from '../responses.ts';

/** A file of the built page. */
export type PageFile = {
  path: string;
  contentType: string;
  etag: string;
  /** Precompressed by the build. */
  encodings: readonly Encoding[];
};

export type StaticPage = {
  files: ReadonlyMap<string, PageFile>;
  /** Base64 of the sha256 of each script in the HTML. */
  scriptHashes: readonly string[];
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};
const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

export const INDEX = '/index.html';

/**
 * The files of a built page in a folder. Only files found by the scan are served, so no path escapes the folder. Null
 * if nothing was built. Scans again when a new build has written its index.
 */
export function createPageFiles(folder: string): {
  look(): StaticPage | null;
  getFile(path: string, as?: Encoding): string;
} {
  let known: { stamp: string; page: StaticPage } | null = null;
  return {
    look() {
      const stamp = readStamp(join(folder, INDEX));
      if (stamp === null) return null;
      if (known?.stamp !== stamp) known = { stamp, page: readPage(folder) };
      return known.page;
    },
    getFile: (path, as) => join(folder, path) + (as === undefined ? '' : SUFFIXES[as]),
  };
}

function readPage(folder: string): StaticPage {
  const paths = new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`),
  );
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    if (isBeside(path, paths)) continue;
    files.set(path, {
      path,
      contentType: TYPES[extname(path)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('base64url')
        .slice(0, 22)}"`,
      encodings: (['br', 'gzip'] as const).filter((encoding) => paths.has(path + SUFFIXES[encoding])),
    });
  }
  return { files, scriptHashes: hashScripts(readFileSync(join(folder, INDEX), 'utf8')) };
}

/** True for the compressed form of another file. */
function isBeside(path: string, paths: ReadonlySet<string>): boolean {
  return Object.values(SUFFIXES).some((suffix) => path.endsWith(suffix) && paths.has(path.slice(0, -suffix.length)));
}

function hashScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)].map(([, script = '']) =>
    createHash('sha256').update(script).digest('base64'),
  );
}

function readStamp(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.mtimeMs} ${stat.size}` : null;
}
