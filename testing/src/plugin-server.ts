import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

export type PluginServerRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** `cut`: the connection is closed without a response; `hang`: the request stays open. */
export type PluginServerAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string | object | Uint8Array }
  | 'cut'
  | 'hang';

export type PluginServer = AsyncDisposable & {
  url: string;
  /** Every request, oldest first. */
  asked: readonly PluginServerRequest[];
  /** Answers from now on, by path without the query; merged with the previous ones. */
  answer(answers: PluginServerAnswers): void;
  close(): Promise<void>;
};

export type PluginServerAnswers = Record<
  string,
  PluginServerAnswer | ((request: PluginServerRequest) => PluginServerAnswer | Promise<PluginServerAnswer>)
>;

/** Starts a scripted server of a legacy plugin on a free port of 127.0.0.1: its manifest, API, page, or gateway. */
export async function startPluginServer(answers: PluginServerAnswers = {}): Promise<PluginServer> {
  const asked: PluginServerRequest[] = [];
  const current = { ...answers };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET', url = '/', headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
      asked.push(seen);
      const scripted = current[url.split('?')[0] ?? url] ?? { status: 404, body: 'not here' };
      void Promise.resolve(typeof scripted === 'function' ? scripted(seen) : scripted).then((answer) => {
        if (answer === 'hang') return;
        if (answer === 'cut') {
          response.destroy();
          return;
        }
        const { status = 200, body = '' } = answer;
        const isText = typeof body === 'string' || body instanceof Uint8Array;
        const type = isText ? 'text/plain' : 'application/json';
        response.writeHead(status, { 'content-type': type, ...answer.headers });
        response.end(isText ? body : JSON.stringify(body));
      });
    });
  });
  const listening = await listenOnLoopback(server);
  const url = listening.origin;
  const { close } = listening;
  return {
    url,
    asked,
    answer: (more) => void Object.assign(current, more),
    close,
    [Symbol.asyncDispose]: close,
  };
}
