import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import type { ServerIcon } from '@toolyard/mcp-host';
import { readIconImage } from '@toolyard/mcp-host';
import type { McpServerIcon } from '@toolyard/protocol';

const TIMEOUT_MS = 10_000;

/**
 * The icon of a server as a checked `data:` URL. Any URL is fetched through the guard, which reaches the public internet
 * only.
 *
 * @throws ToolyardError `bad_response` if it is not a small image, or the error of the request
 */
export async function readServerIcon(
  icon: ServerIcon,
  signal: AbortSignal | undefined,
  fetch: GuardedFetch = createGuardedFetch({ trust: () => false, httpsOnly: true }),
): Promise<McpServerIcon> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return { src: await readIconImage(icon, (url) => fetch(url, { headers: { accept: 'image/*' }, signal: ended })) };
  } finally {
    await fetch.close();
  }
}
