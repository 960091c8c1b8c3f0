import type { CommandIo } from './command-io.ts';

/**
 * `toolyard mcp serve date`: runs the bundled server in this process until stdin closes or a signal is received.
 * Returns the exit code, or undefined while the server runs.
 */
export async function mcpServeCommand(
  _io: CommandIo,
  _server: 'date',
  options: { http?: boolean; port?: string },
): Promise<number | undefined> {
  const { dateServerCommand } = await import('@toolyard/server-date');
  return dateServerCommand([
    ...(options.http ? ['--http'] : []),
    ...(options.port === undefined ? [] : ['--port', options.port]),
  ]);
}
