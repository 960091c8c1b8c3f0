import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Problem } from '@toolyard/protocol';
import type { ProblemAnswer } from './problems.ts';

const compressBr = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Less is not worth the while. */
const COMPRESS_FROM_BYTES = 1024;

export type Encoding = 'br' | 'gzip';

/** The encoding a client would like best of those there are; undefined: as it is. */
export function encodingFor(acceptEncoding: string | undefined, there: readonly Encoding[]): Encoding | undefined {
  const accepted = new Set(
    (acceptEncoding ?? '')
      .split(',')
      .map((item) =>
        item
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  return there.find((encoding) => accepted.has(encoding) || accepted.has('*'));
}

/** JSON, compressed where that pays and the client can read it. */
export async function jsonAnswer(
  value: unknown,
  options: { status: number; acceptEncoding: string | undefined; headers?: Record<string, string> },
): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...options.headers };
  return textAnswer(JSON.stringify(value), { ...options, headers });
}

/** Text of any kind; `headers` name it. */
export async function textAnswer(
  text: string,
  options: { status: number; acceptEncoding: string | undefined; headers: Record<string, string> },
): Promise<Response> {
  const { status, acceptEncoding } = options;
  const headers = { ...options.headers, vary: 'accept-encoding' };
  if (Buffer.byteLength(text) < COMPRESS_FROM_BYTES) return new Response(text, { status, headers });
  switch (encodingFor(acceptEncoding, ['br', 'gzip'])) {
    case 'br': {
      // Above 4 it takes much longer and gains little.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
      const body = await compressBr(text, { params });
      return new Response(new Uint8Array(body), { status, headers: { ...headers, 'content-encoding': 'br' } });
    }
    case 'gzip': {
      const body = await compressGzip(text);
      return new Response(new Uint8Array(body), { status, headers: { ...headers, 'content-encoding': 'gzip' } });
    }
    case undefined:
      return new Response(text, { status, headers });
  }
}

export function problemAnswer({ problem, headers }: ProblemAnswer): Response {
  const body: Problem = problem;
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}
