import { createGuardedFetch, trustOrigins } from '@toolyard/guarded-fetch';
import { checkPreflight } from '../../proxy/preflight.ts';
import type { Router } from '../transport/router.ts';

export function addPreflightRoute({ route }: Router): void {
  route('POST /api/mcp/preflight', async ({ c, body }) => {
    const { incoming, outgoing } = c.env;
    const control = new AbortController();
    outgoing.on('close', () => control.abort());
    // The owner entered the URL; redirects are not followed.
    const fetch = createGuardedFetch({ trust: trustOrigins([body.url]) });
    try {
      const origin = incoming.headers.origin ?? `http://${incoming.headers.host ?? ''}`;
      return await checkPreflight(body, { fetch, origin, signal: control.signal });
    } finally {
      await fetch.close();
    }
  });
}
