import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from '@toolyard/testing';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The `authorization` header that a request must have, computed as the documentation describes it and not with the code
 * under test: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function expectedAuthorization(
  request: RecordedRequest,
  { id, secret, region }: { id: string; secret: string; region: string },
): string {
  const given = request.headers.authorization ?? '';
  const signedHeaders = /SignedHeaders=([^,]+)/.exec(given)?.[1] ?? '';
  const time = String(request.headers['x-amz-date']);
  const [path = '', query = ''] = request.path.split('?');
  const canonical = [
    request.method,
    // Every service but S3 expects the path to be encoded twice.
    path.split('/').map(encodeURIComponent).join('/'),
    query.split('&').toSorted().join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders,
    sha256(request.text),
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/bedrock/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = ['bedrock', 'aws4_request'].reduce(
    hmac as (key: Buffer, text: string) => Buffer,
    hmac(hmac(`AWS4${secret}`, time.slice(0, 8)), region),
  );
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}
