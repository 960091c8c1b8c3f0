import { defined } from '@toolyard/protocol';
import { AwsClient } from 'aws4fetch';
import { StorageError } from '../storage-error.ts';
import type { S3Settings } from './settings.ts';

/** Objects in a bucket, by name. */
export type Bucket = {
  /** Name for messages, without credentials. */
  readonly where: string;
  /** @throws StorageError if it cannot be reached, does not exist, or the key has no access. */
  check(): Promise<void>;
  /** Resolves when the object is stored. */
  put(name: string, bytes: Uint8Array, sha256: string): Promise<void>;
  /** Null if there is no such object. */
  get(name: string): Promise<Uint8Array | null>;
  /** Succeeds also if the object does not exist. */
  remove(name: string): Promise<void>;
  /** A page of object names in order; `next` is the start of the next page. */
  list(after?: string): Promise<ObjectPage>;
};

/** `storedAt`: time of the object store, in milliseconds since 1970. */
type ObjectPage = { objects: { name: string; storedAt: number }[]; next?: string };

/** Timeout of a request; objects are at most a few megabytes. */
const REQUEST_MS = 30_000;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 200;

type BucketRequest = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  name: string;
  query?: Record<string, string>;
  bytes?: Uint8Array;
  sha256?: string;
};

/** Opens a bucket of any S3-compatible object store. */
export function openBucket(settings: S3Settings): Bucket {
  const { bucket, prefix, region, endpoint, accessKeyId, secretAccessKey, sessionToken } = settings;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    ...defined({ sessionToken }),
  });
  // Self-hosted stores use path-style URLs; Amazon requires the bucket in the host name.
  const base = endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`;
  const where = `the bucket ${bucket} at ${new URL(base).host}`;

  async function ask({ method, name, query, bytes, sha256 }: BucketRequest): Promise<Response> {
    const path = name === '' ? '' : `/${`${prefix}${name}`.split('/').map(encodeURIComponent).join('/')}`;
    // As in the signature: some servers would decode a plus sign as a space.
    const queryString = query && new URLSearchParams(query).toString().replaceAll('+', '%20');
    const signed = await client.sign(`${base}${path}${queryString === undefined ? '' : `?${queryString}`}`, {
      method,
      headers: {
        'x-amz-content-sha256': sha256 ?? EMPTY,
        ...(bytes ? { 'content-type': 'application/octet-stream' } : {}),
      },
      ...(bytes ? { body: Uint8Array.from(bytes) } : {}),
    });
    return fetch(signed, { signal: AbortSignal.timeout(REQUEST_MS), redirect: 'manual' });
  }

  /** Retries network errors and transient failures: all requests here are idempotent. */
  async function request(bucketRequest: BucketRequest): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const isLast = tries === MAX_ATTEMPTS;
      try {
        const response = await ask(bucketRequest);
        if (response.ok || response.status === 404 || (response.status < 500 && response.status !== 429) || isLast) {
          return response;
        }
        await response.body?.cancel();
      } catch (error) {
        if (isLast) throw createUnreachableError(where, error);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tries));
    }
  }

  return {
    where,
    async check() {
      const response = await request({ method: 'HEAD', name: '' });
      if (!response.ok) throw await refusal(response, where, bucket);
    },
    async put(name, bytes, sha256) {
      const response = await request({ method: 'PUT', name, bytes, sha256 });
      if (!response.ok) throw await refusal(response, where, bucket);
      await response.body?.cancel();
    },
    async get(name) {
      const response = await request({ method: 'GET', name });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      const text = await response.text();
      if (response.status === 404 && !text.includes('NoSuchBucket')) return null;
      throw await refusal(new Response(text, response), where, bucket);
    },
    async remove(name) {
      const response = await request({ method: 'DELETE', name });
      if (!response.ok && response.status !== 404) throw await refusal(response, where, bucket);
      await response.body?.cancel();
    },
    async list(after) {
      const query = {
        'list-type': '2',
        prefix,
        ...defined({ 'continuation-token': after }),
      };
      const response = await request({ method: 'GET', name: '', query });
      if (!response.ok) throw await refusal(response, where, bucket);
      return readPage(await response.text(), prefix);
    },
  };
}

function readPage(xml: string, prefix: string): ObjectPage {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, of = '']) => {
    const key = readText(of, 'Key');
    const storedAt = Date.parse(readText(of, 'LastModified'));
    return key.startsWith(prefix) && Number.isFinite(storedAt) ? [{ name: key.slice(prefix.length), storedAt }] : [];
  });
  const next = readText(xml, 'NextContinuationToken');
  return { objects, ...(readText(xml, 'IsTruncated') === 'true' && next !== '' ? { next } : {}) };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function readText(xml: string, element: string): string {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';
  return text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The error for a response of the object store; includes its own error code only. */
async function refusal(response: Response, where: string, bucket: string): Promise<StorageError> {
  const code = /<Code>(\w{1,60})<\/Code>/.exec(await response.text().catch(() => ''))?.[1] ?? '';
  const reason = code === '' ? `HTTP ${response.status}` : code;
  if (response.status === 404) {
    return new StorageError('not_there', {
      message: `There is no bucket ${bucket} at ${where}.`,
      hint: 'Create it, or correct TOOLYARD_BLOBS_URL.',
    });
  }
  if (response.status === 401 || response.status === 403) {
    return new StorageError('not_allowed', {
      message: `${capital(where)} denies access with this key: ${reason}.`,
      hint: 'Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and grant the key permission to read, write and delete.',
    });
  }
  if (response.status < 500 && response.status !== 429) {
    return new StorageError('bad_url', {
      message: `${capital(where)} rejects the request: ${reason}.`,
      hint: 'Most likely the region or endpoint in TOOLYARD_BLOBS_URL does not match the bucket.',
    });
  }
  return createUnreachableError(where, new Error(reason));
}

function createUnreachableError(where: string, thrown: unknown): StorageError {
  return new StorageError(
    'unreachable',
    {
      message: `${capital(where)} cannot be reached: ${getReason(thrown)}.`,
      hint: 'Check that the object store is running. Data stored before is safe.',
      retryable: true,
    },
    { cause: thrown },
  );
}

function getReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown reason';
  if (thrown.name === 'TimeoutError') return `no response within ${REQUEST_MS / 1_000} s`;
  const { cause } = thrown;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return thrown.message;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
