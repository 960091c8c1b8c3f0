import { createGuardedFetch } from '@toolyard/guarded-fetch';
import { fetchImage } from '../../images/fetch-image.ts';
import type { Router } from '../transport/router.ts';

/** An answer that is opened as a document executes nothing: SVG may contain scripts. */
const HEADERS = { 'cache-control': 'no-store', 'content-security-policy': "sandbox; default-src 'none'" };

export function addImageRoutes({ route }: Router): void {
  route('POST /api/images', async ({ c, body: { url } }) => {
    const control = new AbortController();
    c.env.outgoing.on('close', () => control.abort());
    const fetch = createGuardedFetch({ trust: () => false });
    try {
      const image = await fetchImage(url, { fetch, signal: control.signal });
      if ('redirect' in image) return c.json(image, 200, HEADERS);
      return new Response(image.bytes, { headers: { ...HEADERS, 'content-type': image.type } });
    } finally {
      await fetch.close();
    }
  });
}
