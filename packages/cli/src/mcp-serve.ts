/**
 * `toolyard mcp serve date`: the bundled server in this process, until stdin ends or a signal comes. It is the
 * server's own command, with its own words for what is wrong; gives the exit code, undefined while it goes on.
 */
export async function mcpServeCommand(options: { http?: boolean; port?: string }): Promise<number | undefined> {
  const { dateServerCommand } = await import('@toolyard/server-date');
  return dateServerCommand([
    ...(options.http ? ['--http'] : []),
    ...(options.port === undefined ? [] : ['--port', options.port]),
  ]);
}
