import type { RequestListener } from 'node:http';
import { isRefusedAddress, type RefusalReason } from '../address.ts';
import type { Resolve } from '../lookup.ts';

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
export function createResolver(names: Record<string, string[] | string[][]>): { resolve: Resolve; asked: string[] } {
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
