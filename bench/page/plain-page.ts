import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const HTML = '<!doctype html><html lang="en"><title>Plain</title><p>A page without scripts and styles.</p></html>';

/** A page of one sentence: what a visit takes before anything of Toolyard counts. */
export async function servePlainPage(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
