import type { McpHost } from '@toolyard/mcp-host';
import { readSignInResponse } from '@toolyard/mcp-host';
import { isJsonObject, toErrorInfo, type JsonValue } from '@toolyard/protocol';

/** By this name tabs and the page that people are sent back to speak with one another; see the server's half of it. */
const CHANNEL = 'toolyard:sign-in';

/** Where a person who has signed in to a server of this browser is sent back to. */
export function callbackUrl(): string {
  return `${location.origin}/api/mcp/sign-in/tab`;
}

/** Takes up what people bring back of the sign-ins that this tab has begun. */
export function receiveSignIns(host: McpHost): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<JsonValue>) => {
    if (!isJsonObject(data) || typeof data['search'] !== 'string') return;
    void finish(host, data['search']).then((answer) => {
      if (answer !== null) channel.postMessage(answer);
    });
  });
}

/** Null where another tab has begun it. */
async function finish(host: McpHost, search: string): Promise<{ ok: boolean; text: string } | null> {
  try {
    await host.finishSignIn(readSignInResponse(new URLSearchParams(search)));
    return { ok: true, text: 'Toolyard connects to the server now. You can close this window.' };
  } catch (thrown) {
    const { code, message, hint } = toErrorInfo(thrown);
    return code === 'not_found' ? null : { ok: false, text: [message, hint].filter(Boolean).join(' ') };
  }
}
