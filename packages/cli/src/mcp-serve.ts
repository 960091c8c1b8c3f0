/** `toolyard mcp serve date`: the bundled server in this process, until stdin ends or a signal comes. */
export async function mcpServeCommand(options: { http?: boolean; port: number }): Promise<void> {
  const { serveDateOverHttp, serveDateOverStdio } = await import('@toolyard/server-date');
  if (options.http) await serveDateOverHttp({ port: options.port });
  else await serveDateOverStdio();
}
