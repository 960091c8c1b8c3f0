import { StorageError } from '../storage-error.ts';

/** Where files lie beside a database: a bucket of anything that speaks S3. */
export type S3Settings = {
  bucket: string;
  /** What the names of all objects begin with; empty, or ending in a slash. */
  prefix: string;
  region: string;
  /** Absent: Amazon's own. */
  endpoint?: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
};

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FORM = 's3://bucket/prefix?region=eu-central-1&endpoint=https://storage.example.com';

/**
 * Reads `s3://bucket/prefix?region=...&endpoint=...`, with the key from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN.
 *
 * @throws StorageError for what is no such address, or where there is no key.
 */
export function readS3Settings(address: string, env: Readonly<Record<string, string | undefined>>): S3Settings {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 's3:' || !BUCKET.test(url.hostname)) throw unusable('it does not name a bucket');
  if (url.username !== '' || url.password !== '') {
    throw unusable('a key has no place in it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  for (const name of url.searchParams.keys()) {
    if (name !== 'region' && name !== 'endpoint') throw unusable(`"${name}" means nothing in it`);
  }
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    throw unusable('its endpoint is no http or https address');
  }
  const accessKeyId = env['AWS_ACCESS_KEY_ID']?.trim() ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']?.trim() ?? '';
  const sessionToken = env['AWS_SESSION_TOKEN']?.trim() ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new StorageError('not_allowed', {
      message: `There is no key for the files in ${url.hostname}.`,
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    });
  }
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    region: url.searchParams.get('region') ?? env['AWS_REGION']?.trim() ?? 'us-east-1',
    ...(endpoint === null ? {} : { endpoint: endpoint.replace(/\/+$/, '') }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === '' ? {} : { sessionToken }),
  };
}

function unusable(why: string): StorageError {
  return new StorageError('bad_url', {
    message: `The address of the files is not usable: ${why}.`,
    hint: `TOOLYARD_BLOBS_URL looks like ${FORM}.`,
  });
}
