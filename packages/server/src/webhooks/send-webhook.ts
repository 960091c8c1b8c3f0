import { createHmac } from 'node:crypto';
import type { Clock, Fetch, WebhookMessage } from '@toolyard/protocol';
import { ToolyardError, VERSION } from '@toolyard/protocol';

/** Time limit of a response. */
const SEND_TIMEOUT_MS = 15_000;

export type SentWebhook =
  | { ok: true; status: number }
  | { ok: false; error: ToolyardError; status?: number; retryAfterMs?: number };

/** Sends one message, signed according to Standard Webhooks. Never throws for errors of the receiver. */
export async function sendWebhook(
  { url, secret, id, message }: { url: string; secret: string; id: string; message: WebhookMessage },
  { fetch, clock }: { fetch: Fetch; clock: Clock },
): Promise<SentWebhook> {
  const body = JSON.stringify(message);
  const seconds = Math.floor(clock.now() / 1_000);
  const control = new AbortController();
  const stop = clock.after(SEND_TIMEOUT_MS, () => control.abort());
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Toolyard/${VERSION}`,
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${createSignature(secret, `${id}.${seconds}.${body}`)}`,
      },
      body,
      signal: control.signal,
    });
    await answer.body?.cancel();
    const { status } = answer;
    if (status >= 200 && status < 300) return { ok: true, status };
    const error = new ToolyardError({ code: 'server_refused', message: `The receiver responded with HTTP ${status}.` });
    const retryAfter = Number(answer.headers.get('retry-after') ?? '');
    return { ok: false, error, status, ...(retryAfter > 0 ? { retryAfterMs: retryAfter * 1_000 } : {}) };
  } catch (thrown) {
    if (control.signal.aborted) {
      return {
        ok: false,
        error: new ToolyardError({ code: 'timed_out', message: 'The receiver did not respond in time.' }),
      };
    }
    const error = ToolyardError.isInstance(thrown)
      ? thrown
      : new ToolyardError({
          code: 'network',
          message: 'The receiver is unreachable.',
          hint: 'Check the URL, and whether a server is listening there.',
        });
    return { ok: false, error };
  } finally {
    stop();
  }
}

/** Secrets with the standard prefix are base64; others are used literally. */
function createSignature(secret: string, text: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
