import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { isRefusedAddress, type RefusalReason } from '../address.ts';
import type { Resolve } from '../lookup.ts';

/** What a server was asked. */
type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** A real server on 127.0.0.1 and what it was asked so far. */
export type Origin = { port: number; origin: string; seen: Seen[]; close(): Promise<void> };

/** Starts a server that keeps what it is asked, bodies whole, and answers then. */
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
 * The one address a test machine surely has plays the public internet; everything else, its neighbour 127.0.0.2
 * included, is judged as always.
 */
export function allowLoopback(ip: string): RefusalReason | null {
  return ip === '127.0.0.1' ? null : isRefusedAddress(ip);
}

/** A resolver that knows these names and counts its questions; each answer of a list is given once, the last for ever. */
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
