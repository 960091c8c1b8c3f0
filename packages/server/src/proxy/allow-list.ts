import { createConfigError } from '../errors.ts';

/** Keyword for every address of the public internet. */
const PUBLIC = 'public';

/** Destinations of the proxy. */
export type AllowList = {
  /** False for destinations that are never allowed. */
  allows: (url: URL) => boolean;
  /** True if the operator listed this origin explicitly: it may be in a private network. */
  names: (url: URL) => boolean;
};

/**
 * Parses `--proxy-allow`: origins and the keyword `public`, which is the default.
 *
 * @throws ToolyardError `bad_config` for anything else
 */
export function readAllowList(allowed: readonly string[] = []): AllowList {
  const entries = allowed.length === 0 ? [PUBLIC] : allowed;
  const origins = new Set(entries.filter((entry) => entry !== PUBLIC).map(readOrigin));
  const isPublic = entries.includes(PUBLIC);
  const names = (url: URL): boolean => origins.has(url.origin);
  return { names, allows: (url) => isPublic || names(url) };
}

function readOrigin(entry: string): string {
  const text = entry.replace(/^ws(s?):/i, 'http$1:');
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isOrigin && url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  throw createConfigError(
    `--proxy-allow: ${JSON.stringify(entry.slice(0, 120))} is not an origin.`,
    'Use scheme, host and port, such as http://127.0.0.1:3000, or public for the whole internet.',
  );
}
