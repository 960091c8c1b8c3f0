import type { McpHost } from '@toolyard/mcp-host';
import { readSignInResponse } from '@toolyard/mcp-host';
import { isJsonObject, toErrorInfo, type JsonValue } from '@toolyard/protocol';

/** Name of the BroadcastChannel between tabs and the sign-in callback page; the server's part uses the same name. */
const CHANNEL = 'toolyard:sign-in';

/** The OAuth redirect URI for servers of this browser. */
export function callbackUrl(): string {
  return `${location.origin}/api/mcp/sign-in/tab`;
}

/** Receives the OAuth callbacks of sign-ins that this tab has started. */
export function receiveSignIns(host: McpHost): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<JsonValue>) => {
    if (!isJsonObject(data) || typeof data['search'] !== 'string') return;
    void finish(host, data['search']).then((answer) => {
      if (answer !== null) channel.postMessage(answer);
    });
  });
}

/** Null if another tab has started it. */
async function finish(host: McpHost, search: string): Promise<{ ok: boolean; text: string } | null> {
  try {
    await host.finishSignIn(readSignInResponse(new URLSearchParams(search)));
    return { ok: true, text: 'You are signed in. Toolyard is connecting to the server; you can close this window.' };
  } catch (thrown) {
    const { code, message, hint } = toErrorInfo(thrown);
    return code === 'not_found' ? null : { ok: false, text: [message, hint].filter(Boolean).join(' ') };
  }
}
