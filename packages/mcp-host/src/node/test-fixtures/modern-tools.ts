import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The tools of the modern test servers, made with the official server package. */
export function createModernServer(): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: 'Speak the new way.' },
  );
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  server.registerTool('fail', { inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'The disk is full.' }],
    isError: true,
  }));
  server.registerTool(
    'region',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    ({ region }) => ({ content: [{ type: 'text', text: `in ${region}` }] }),
  );
  server.registerTool('wait', { inputSchema: z.object({ steps: z.number() }) }, async ({ steps }, context) => {
    for (let step = 1; step <= steps && !context.mcpReq.signal.aborted; step++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const progressToken = context.mcpReq._meta?.progressToken;
      if (progressToken === undefined) continue;
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: step, total: steps },
      });
    }
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  server.registerTool('grow', { inputSchema: z.object({}) }, () => {
    server.registerTool('grown', { inputSchema: z.object({}) }, () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grew' }] };
  });
  return server;
}
