import { ToolyardError } from '@toolyard/protocol';

/** The word for every address of the public internet. */
const PUBLIC = 'public';

/** Which addresses the proxy goes to. */
export type AllowList = {
  /** False for what is not gone to at all. */
  allows: (url: URL) => boolean;
  /** True where the owner named this very origin: it may lie in a private network. */
  names: (url: URL) => boolean;
};

/**
 * Reads what `--proxy-allow` said: origins, and the word `public`, which is all there is if nothing was said.
 *
 * @throws ToolyardError `bad_config` for what is neither
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
  throw new ToolyardError({
    code: 'bad_config',
    message: `--proxy-allow: ${JSON.stringify(entry.slice(0, 120))} is no origin.`,
    hint: 'Write scheme, host and port, such as http://127.0.0.1:3000, or the word public for all of the internet.',
  });
}
