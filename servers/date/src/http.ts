import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createDateServer } from './server.ts';
import type { RunningServer } from './stdio.ts';
import type { DateOptions } from './tool.ts';

const HOST = '127.0.0.1';
const PATH = '/mcp';

/** A server listening at `url`. */
export type HttpServer = RunningServer & { url: string };

/**
 * Serves Streamable HTTP at `http://127.0.0.1:<port>/mcp`, in both eras of MCP, for this machine only. Requests with
 * another Host or Origin are rejected (DNS rebinding).
 *
 * @param options.port 0, the default, takes any free port
 * @throws the error of the operating system, with its `code` (such as `EADDRINUSE`), if it cannot listen on the port
 */
export async function serveDateOverHttp(options: DateOptions & { port?: number } = {}): Promise<HttpServer> {
  // Loaded here, because a stdio server, the usual case, does not need them.
  const [{ createServer }, { createMcpHandler }, mcpNode] = await Promise.all([
    import('node:http'),
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
  ]);
  const handler = createMcpHandler(() => createDateServer(options));
  const answer = mcpNode.toNodeHandler(handler);
  const hostIsLocal = mcpNode.localhostHostValidation();
  const originIsLocal = mcpNode.localhostOriginValidation();

  const server = createServer((request, response) => {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
    if (request.url?.split('?')[0] !== PATH) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`The MCP server is at ${PATH}.\n`);
      return;
    }
    // The SDK's type omits that Node's own fields may be undefined.
    void answer(request as Parameters<typeof answer>[0], response);
  });
  server.listen(options.port ?? 0, HOST);
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}${PATH}`,
    async close() {
      await handler.close();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
