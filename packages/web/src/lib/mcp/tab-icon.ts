import { readIconImage } from '@toolyard/mcp-host';
import { ToolyardError, say } from '@toolyard/protocol';
import { mcpStore } from './mcp-store.svelte.ts';
import { tabNetwork } from './tab-host.ts';

const TIMEOUT_MS = 10_000;

/**
 * The icon that a server of this browser sent, as a checked `data:` URL. It is fetched like the server itself: by the
 * browser, without cookies, only from hosts that allow that.
 *
 * @throws ToolyardError, or the error of the request
 */
export async function readTabIcon(id: string): Promise<string> {
  const icon = (await mcpStore.host()).health().find((each) => each.id === id)?.icon;
  if (icon === undefined) throw new ToolyardError({ code: 'not_found', message: say`"${id}" sent no icon.` });
  return readIconImage(icon, (url) =>
    tabNetwork.fetch(url, { headers: { accept: 'image/*' }, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  );
}
