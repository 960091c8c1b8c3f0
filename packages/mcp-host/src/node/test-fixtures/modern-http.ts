import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createModernServer } from './modern-tools.ts';
import { listen } from './peers.ts';

/** A modern server over Streamable HTTP, and the requests it got (method name and headers). */
export async function startModern(): Promise<{
  url: string;
  requests: { rpc: string; headers: Record<string, string | string[] | undefined> }[];
  announceToolChange: () => void;
  stop: () => Promise<void>;
}> {
  const handler = createMcpHandler(createModernServer);
  const handle = toNodeHandler(handler);
  const requests: { rpc: string; headers: Record<string, string | string[] | undefined> }[] = [];
  const { url, close } = await listen((request, response) => {
    requests.push({ rpc: String(request.headers['mcp-method'] ?? ''), headers: request.headers });
    void handle(request as Parameters<typeof handle>[0], response);
  });
  return {
    url,
    requests,
    announceToolChange: () => handler.notify.toolsChanged(),
    stop: async () => {
      await handler.close();
      await close();
    },
  };
}
