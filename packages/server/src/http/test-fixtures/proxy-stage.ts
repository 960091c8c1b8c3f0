import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { systemClock } from '@toolyard/protocol';
import type { RecordingServer } from '@toolyard/testing';
import { createProxy } from '../../proxy/proxy.ts';
import { startProxyTarget } from './proxy-target.ts';
import type { TestResponse, TestRequestOptions, TestServer, TestServerOptions } from './test-server.ts';
import { startTestServer } from './test-server.ts';

/** A server with a proxy, and servers behind it; disposed together. */
export type ProxyStage = AsyncDisposable & {
  readonly server: TestServer;
  target: (...how: Parameters<typeof startProxyTarget>) => Promise<RecordingServer>;
  /** Starts a server whose proxy may connect to these origins. */
  start: (allow: readonly string[], of?: TestServerOptions) => Promise<void>;
  disposeAfter: <Thing extends AsyncDisposable>(thing: Thing) => Thing;
  through: (url: string, options?: TestRequestOptions, at?: string) => Promise<TestResponse>;
  /** Sends a request whose response is read as a stream. */
  open: (url: string) => Promise<IncomingMessage>;
};

export function createProxyStage(): ProxyStage {
  const all = new AsyncDisposableStack();
  let server: TestServer | undefined;
  const started = (): TestServer => {
    if (server === undefined) throw new Error('the server was not started');
    return server;
  };
  return {
    get server() {
      return started();
    },
    async target(...how) {
      return all.use(await startProxyTarget(...how));
    },
    async start(allow, of = {}) {
      const proxy = createProxy({ allow, clock: systemClock });
      all.defer(() => proxy.close());
      server = await startTestServer({ ...of, change: { proxy, ...of.change } });
      all.defer(() => started().close());
    },
    disposeAfter: (thing) => all.use(thing),
    through: (url, options, at = '/api/proxy') => started().ask(`${at}?url=${encodeURIComponent(url)}`, options),
    async open(url) {
      const path = `/api/proxy?url=${encodeURIComponent(url)}`;
      const request = httpRequest({ host: '127.0.0.1', port: started().port, path, agent: false });
      request.on('error', () => undefined);
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.on('error', () => undefined);
      return response;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
