import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolyardError } from '@toolyard/protocol';

/** What a person brings back from a sign-in server. */
export type BroughtBack = { state: string; code?: string; iss?: string; error?: string; errorDescription?: string };

/** Waits on this machine for a person to come back from a sign-in server. */
export type SignInListener = AsyncDisposable & {
  redirectUrl: string;
  /** The first one who comes with this state; others are sent away. */
  next(state: string, signal: AbortSignal): Promise<BroughtBack>;
};

const PATH = '/callback';

/** @param port a sign-in server may know one address only; where it is taken, this fails */
export async function listenForSignIn(port: number): Promise<SignInListener> {
  let hear: (url: URL) => boolean = () => false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = request.method === 'GET' && url.pathname === PATH && hear(url);
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    };
    response.writeHead(isOurs ? 200 : 404, headers);
    response.end(isOurs ? 'You can close this window and go back to the terminal.\n' : 'There is nothing here.\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new ToolyardError(
      { code: 'conflict', message: `Port ${port} is taken.`, hint: 'Choose another one with --port.' },
      { cause },
    );
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    next: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('Nobody waits any more.')), { once: true });
        hear = ({ searchParams }) => {
          if (searchParams.get('state') !== state) return false;
          resolve(readBack(searchParams, state));
          return true;
        };
      }),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}

function readBack(params: URLSearchParams, state: string): BroughtBack {
  const given = (name: string, as: 'code' | 'iss' | 'error' | 'errorDescription') => {
    const value = params.get(name);
    return value === null ? {} : { [as]: value };
  };
  return {
    state,
    ...given('code', 'code'),
    ...given('iss', 'iss'),
    ...given('error', 'error'),
    ...given('error_description', 'errorDescription'),
  };
}
