// 25 HTTP servers in one process with a hand-written legacy handshake: immediate, or after a delay in milliseconds.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [count = 25, delayMs = 0] = process.argv.slice(2).map(Number);

type Asked = { id?: number | string; method?: string };

function answer({ id, method }: Asked, response: ServerResponse): void {
  if (id === undefined) return void response.writeHead(202).end();
  const reply = { jsonrpc: '2.0', id, ...contentFor(method) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}

function contentFor(method: string | undefined): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'bench', version: '1.0.0' };
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: [{ name: 'one', inputSchema: { type: 'object' } }] } };
  return { error: { code: -32_601, message: 'Method not found' } };
}

const urls = await Promise.all(
  Array.from({ length: count }, async () => {
    const server = createServer((request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        const asked = JSON.parse(text) as Asked;
        if (delayMs === 0) answer(asked, response);
        else setTimeout(() => answer(asked, response), delayMs);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
  }),
);
process.send?.({ urls });
process.on('disconnect', () => process.exit(0));
