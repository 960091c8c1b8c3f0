import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInResponse } from '@toolyard/mcp-host';
import { readSignInResponse } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';

/** A loopback HTTP server for the redirect of an authorization server. */
export type SignInListener = AsyncDisposable & {
  redirectUrl: string;
  /** Waits for the first redirect with this state. Other requests get 404. */
  next(state: string, signal: AbortSignal): Promise<SignInResponse>;
};

const PATH = '/callback';

/** @throws ToolyardError `conflict` if the port is in use: the redirect URL may be registered, so it cannot change */
export async function listenForSignIn(port: number): Promise<SignInListener> {
  let accept: (url: URL) => boolean = () => false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = request.method === 'GET' && url.pathname === PATH && accept(url);
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    };
    response.writeHead(isOurs ? 200 : 404, headers);
    response.end(isOurs ? 'Signed in. You can close this tab and return to the terminal.\n' : 'Not found.\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new ToolyardError(
      { code: 'conflict', message: `Port ${port} is in use.`, hint: 'Choose another port with --port.' },
      { cause },
    );
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    next: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('The sign-in was cancelled.')), { once: true });
        accept = ({ searchParams }) => {
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
