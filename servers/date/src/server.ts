import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { GET_DATE, getDate, type DateOptions } from './tool.ts';

/** The version this server names on the wire; the same as the package's. */
export const VERSION = '0.1.0';

/**
 * An MCP server with the one tool `get-date`. It serves one connection; both eras of the protocol are served by
 * whatever it is connected to.
 *
 * The SDK's low-level `Server` is used on purpose: its high-level one answers an unknown tool without naming the tools
 * there are, and a wrong argument in the words of a schema library.
 *
 * @example
 * const server = createDateServer({ now: () => Date.UTC(2026, 10, 5) });
 */
export function createDateServer(options: DateOptions = {}): Server {
  const server = new Server(
    { name: 'toolyard-date', title: 'Date and time', version: VERSION },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [GET_DATE] }));
  server.setRequestHandler('tools/call', ({ params }) => {
    if (params.name !== GET_DATE.name) {
      const message = `Unknown tool "${params.name}". The tools of this server: ${GET_DATE.name}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    return getDate(params.arguments ?? {}, options);
  });
  return server;
}
