import { readBody } from '@toolyard/guarded-fetch';
import type { Fetch, AnyText } from '@toolyard/protocol';
import { imageTypeOf, readUrl, ToolyardError, say } from '@toolyard/protocol';

/** Largest image that is shown. */
const MAX_MEGABYTES = 10;
const MAX_REDIRECTS = 5;
/** How many bytes decide the type. */
const HEAD = 1_000;

/** An image with the type of its bytes, or the URL on another host that it was redirected to. */
export type FetchedImage = { type: string; bytes: Uint8Array<ArrayBuffer> } | { redirect: string };

type FetchImageOptions = {
  /** A guarded fetch: URLs come from models. */
  fetch: Fetch;
  /** Aborts the request, such as when the client is gone. */
  signal: AbortSignal;
  /** Time limit of the whole image, in milliseconds; default 20 s. */
  timeoutMs?: number;
};

/**
 * Fetches an image at a URL that a model wrote, without credentials. Only the host of the URL receives a request, because
 * it is the one that the user agreed to: a redirect to another host is returned instead of followed.
 *
 * @param address an http or https URL
 * @throws ToolyardError `address_refused` for a private address, `network` or `timed_out` if the host does not answer,
 *   `bad_response` if it sends something else than an image of at most 10 MB
 * @example
 * await fetchImage('https://example.com/a.png', { fetch, signal }) // { type: 'image/png', bytes }
 */
export async function fetchImage(address: string, options: FetchImageOptions): Promise<FetchedImage> {
  const { fetch, signal, timeoutMs = 20_000 } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const { host } = new URL(address);
  try {
    return await follow(address, (url) =>
      fetch(url, {
        headers: { accept: 'image/avif,image/webp,image/*' },
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      }),
    );
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (ToolyardError.isInstance(thrown))
      throw thrown.code === 'address_refused' ? createRefusedImageError(thrown) : thrown;
    if (timeout.aborted) {
      const message = `${host} did not send the image within ${String(timeoutMs / 1_000)} s.`;
      throw new ToolyardError({ code: 'timed_out', message, hint: TRY_LATER, retryable: true });
    }
    const message = `${host} cannot be reached, so the image was not loaded.`;
    throw new ToolyardError({ code: 'network', message, hint: TRY_LATER, retryable: true }, { cause: thrown });
  }
}

async function follow(address: string, get: (url: string) => Promise<Response>): Promise<FetchedImage> {
  const { host } = new URL(address);
  let url = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await get(url);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return readImage(response, host);
    await response.body?.cancel();
    const next = readUrl(location, new URL(url));
    if (next === null) throw createNotShownError(`${host} redirects to an invalid URL.`);
    if (next.host !== host) return { redirect: next.href };
    url = next.href;
  }
  throw createNotShownError(say`${host} redirects more than ${String(MAX_REDIRECTS)} times.`);
}

async function readImage(response: Response, host: string): Promise<FetchedImage> {
  if (!response.ok) {
    await response.body?.cancel();
    throw createNotShownError(`${host} answered with status ${String(response.status)}.`);
  }
  const bytes = await readBody(response, MAX_MEGABYTES * 1_024 * 1_024);
  if (bytes === null) throw createNotShownError(`The image at ${host} is larger than ${String(MAX_MEGABYTES)} MB.`);
  const type = imageTypeOf(Buffer.from(bytes.subarray(0, HEAD)).toString('latin1'));
  if (type === null) throw createNotShownError(`What ${host} sent is not a PNG, JPEG, GIF, WebP, AVIF or SVG image.`);
  return { type, bytes };
}

/** The hint of the guard is about URLs that belong into the settings. */
function createRefusedImageError({ message }: ToolyardError): ToolyardError {
  const hint = 'Images are loaded from the public internet only. Open the image in a new tab if you trust its host.';
  return new ToolyardError({ code: 'address_refused', message, hint });
}

const TRY_LATER = 'Check the connection of the server, then load the image again.';

function createNotShownError(message: AnyText): ToolyardError {
  return new ToolyardError({ code: 'bad_response', message });
}
