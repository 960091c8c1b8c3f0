import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { isRefusedAddress, type RefusalReason } from '../address.ts';
import type { Resolve } from '../lookup.ts';

/** A received request. */
type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** A real server on 127.0.0.1 with the requests it received. */
export type Origin = { port: number; origin: string; seen: Seen[]; close(): Promise<void> };

/** Starts a server that records each request with its whole body, then answers. */
export async function startOrigin(answer: RequestListener): Promise<Origin> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers 200 with `text`. */
export function respondsWith(text: string): RequestListener {
  return (_request, response) => void response.end(text);
}

/** Answers with a redirect. */
export function redirectsTo(location: string, status = 302): RequestListener {
  return (_request, response) => void response.writeHead(status, { location }).end();
}

/**
 * Treats 127.0.0.1, which every test machine has, as public; everything else, including 127.0.0.2, is judged as usual.
 */
export function allowLoopback(ip: string): RefusalReason | null {
  return ip === '127.0.0.1' ? null : isRefusedAddress(ip);
}

/** A resolver for these names that counts its calls; a list of answers is used in order, the last one repeatedly. */
export function namesOf(names: Record<string, string[] | string[][]>): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(hostname) {
      const earlier = asked.filter((name) => name === hostname).length;
      asked.push(hostname);
      const answers = names[hostname];
      if (answers === undefined) throw Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' });
      const answer = answers[Math.min(earlier, answers.length - 1)];
      return Array.isArray(answer) ? answer : answers.flat();
    },
  };
}
