import { getContentType, MAX_FILE_BYTES, readBodyBytes } from '../transport/body.ts';
import type { Owner } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { requireScope } from '../auth/scopes.ts';
import { badSignature } from '../auth/refusals.ts';
import { notFound, refusal } from '../problems.ts';
import type { RouteQuery } from '@toolyard/protocol/schemas';
import type { Router } from '../transport/router.ts';
import type { AppContext } from '../types.ts';
import type { RouteContext } from '../route-context.ts';

/**
 * Types that a browser renders without executing content. SVG documents can contain scripts, so they are not included.
 */
const SHOWN_IN_PLACE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/ogg',
  'audio/wav',
  'audio/wave',
  'audio/x-wav',
  'audio/webm',
  'audio/flac',
  'video/mp4',
  'video/webm',
  'video/ogg',
]);

export function addFileRoutes({ route }: Router, { storage, clock, auth }: RouteContext): void {
  /** The owner of the signed URL, or else of the request's credential. */
  async function getOwner(
    c: AppContext,
    sha256: string,
    { owner, expires, signature }: RouteQuery<'GET /api/files/{sha256}'>,
  ): Promise<Owner> {
    if (signature !== undefined && owner !== undefined && expires !== undefined) {
      const found = await auth.signedUrls.check(sha256, { owner, expires, signature });
      if (found === null) throw badSignature();
      return found;
    }
    const principal = await auth.authentication.getPrincipal(c.env.incoming, { key: 'GET /api/files/{sha256}' });
    requireScope(principal, 'read');
    return principal;
  }

  route('POST /api/files', async ({ c, principal }) => {
    const { incoming } = c.env;
    const bytes = await readBodyBytes(incoming, MAX_FILE_BYTES);
    if (bytes.byteLength === 0) throw refusal({ code: 'bad_request', message: say`The file is empty.` });
    const mimeType = getContentType(incoming);
    const kept = await storage.blobs.put(principal, bytes, { mimeType, at: clock.now() });
    return { sha256: kept.sha256, size: kept.size, mimeType: kept.mimeType };
  });

  route('POST /api/files/links', ({ principal, body: { files } }) => auth.signedUrls.create(principal, files));

  route('GET /api/files/{sha256}', async ({ c, params: { sha256 }, query }) => {
    const principal = await getOwner(c, sha256, query);
    const info = await storage.blobs.info(principal, sha256);
    if (info === null) throw notFound('file', sha256);
    const etag = `"${info.sha256}"`;
    const headers = {
      etag,
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    };
    if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers });
    const bytes = await storage.blobs.read(principal, sha256);
    if (bytes === null) throw notFound('file', sha256);
    return new Response(new Uint8Array(bytes), { headers: { ...headers, ...showOrSave(info) } });
  });
}

function showOrSave({ mimeType, sha256 }: { mimeType: string; sha256: string }): Record<string, string> {
  if (SHOWN_IN_PLACE.has(mimeType)) return { 'content-type': mimeType, 'content-disposition': 'inline' };
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${sha256.slice(0, 16)}"`,
  };
}
