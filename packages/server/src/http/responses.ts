import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Problem } from '@toolyard/protocol';
import type { ProblemAnswer } from './problems.ts';
import type { AppContext } from './types.ts';

const compressBr = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Compressing smaller bodies is not worth the time. */
const COMPRESS_FROM_BYTES = 1024;

export type Encoding = 'br' | 'gzip';

/** The client's preferred encoding among the supported ones; undefined: no compression. */
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

/** A JSON response, compressed if it is large enough and the client accepts it. */
export async function jsonAnswer(
  value: unknown,
  options: { status: number; acceptEncoding: string | undefined; headers?: Record<string, string> },
): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...options.headers };
  return textAnswer(JSON.stringify(value), { ...options, headers });
}

async function textAnswer(
  text: string,
  options: { status: number; acceptEncoding: string | undefined; headers: Record<string, string> },
): Promise<Response> {
  const { status, acceptEncoding } = options;
  const headers = { ...options.headers, vary: 'accept-encoding' };
  if (Buffer.byteLength(text) < COMPRESS_FROM_BYTES) return new Response(text, { status, headers });
  switch (encodingFor(acceptEncoding, ['br', 'gzip'])) {
    case 'br': {
      // Higher qualities take much longer and save little.
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

/** A text file, compressed if the client accepts it; `headers` set its content type. */
export function fileAnswer(c: AppContext, text: string, headers: Record<string, string>): Promise<Response> {
  const acceptEncoding = c.req.header('accept-encoding');
  return textAnswer(text, { status: 200, acceptEncoding, headers: { 'cache-control': 'no-store', ...headers } });
}

export function problemAnswer({ problem, headers }: ProblemAnswer): Response {
  const body: Problem = problem;
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}
