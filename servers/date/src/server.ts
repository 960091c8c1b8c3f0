import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { GET_DATE, getDate, type DateOptions } from './tool.ts';

/** The version in `serverInfo`; equals the package version. */
export const VERSION = '0.1.0';

/**
 * An MCP server with one tool, `get-date`. It serves one connection; its transport decides the era.
 *
 * Uses the SDK's low-level `Server`, because the high-level one answers an unknown tool without listing the available
 * tools, and an invalid argument with the message of a schema library.
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
      const message = `Unknown tool "${params.name}". This server has: ${GET_DATE.name}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    return getDate(params.arguments ?? {}, options);
  });
  return server;
}
