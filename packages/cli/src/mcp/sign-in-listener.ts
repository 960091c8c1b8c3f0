import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInResponse } from '@toolyard/mcp-host';
import { readSignInResponse } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';

/** Waits on this machine for a person to come back from a sign-in server. */
export type SignInListener = AsyncDisposable & {
  redirectUrl: string;
  /** The first one who comes with this state; others are sent away. */
  next(state: string, signal: AbortSignal): Promise<SignInResponse>;
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
          resolve(readSignInResponse(searchParams));
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
