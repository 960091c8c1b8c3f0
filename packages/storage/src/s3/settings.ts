import { StorageError } from '../storage-error.ts';

/** Where blobs are stored beside a database: a bucket of an S3-compatible object store. */
export type S3Settings = {
  bucket: string;
  /** Prefix of all object names; empty, or with a trailing slash. */
  prefix: string;
  region: string;
  /** Default: Amazon S3. */
  endpoint?: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
};

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FORM = 's3://bucket/prefix?region=eu-central-1&endpoint=https://storage.example.com';

/**
 * Parses `s3://bucket/prefix?region=...&endpoint=...`, with the key from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN.
 *
 * @throws StorageError if the URL is invalid or the key is missing.
 */
export function readS3Settings(address: string, env: Readonly<Record<string, string | undefined>>): S3Settings {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 's3:' || !BUCKET.test(url.hostname)) throw createBucketUrlError('it does not name a bucket');
  if (url.username !== '' || url.password !== '') {
    throw createBucketUrlError('it must not contain a key; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  for (const name of url.searchParams.keys()) {
    if (name !== 'region' && name !== 'endpoint') throw createBucketUrlError(`the parameter "${name}" is unknown`);
  }
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    throw createBucketUrlError('its endpoint is not an http or https URL');
  }
  const accessKeyId = env['AWS_ACCESS_KEY_ID']?.trim() ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']?.trim() ?? '';
  const sessionToken = env['AWS_SESSION_TOKEN']?.trim() ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new StorageError('not_allowed', {
      message: `There is no key for the bucket ${url.hostname}.`,
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

function createBucketUrlError(reason: string): StorageError {
  return new StorageError('bad_url', {
    message: `The bucket URL is invalid: ${reason}.`,
    hint: `TOOLYARD_BLOBS_URL must look like ${FORM}.`,
  });
}
