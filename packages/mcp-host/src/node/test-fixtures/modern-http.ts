import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createModernServer } from './modern-tools.ts';
import { listen } from './peers.ts';

type ModernOptions = {
  /** Rejects `initialize`; default: both eras are served. */
  modernOnly?: boolean;
  /** Awaited before `server/discover` is answered; gets the number of requests so far. */
  beforeDiscover?: (requests: readonly { rpc: string }[]) => Promise<unknown> | undefined;
};

/** A modern server over Streamable HTTP, and the requests it received (method, name and headers). */
export async function startModern({ modernOnly = false, beforeDiscover }: ModernOptions = {}): Promise<{
  url: string;
  requests: { rpc: string; headers: Record<string, string | string[] | undefined> }[];
  announceToolChange: () => void;
  stop: () => Promise<void>;
}> {
  const handler = createMcpHandler(createModernServer, modernOnly ? { legacy: 'reject' } : {});
  const handle = toNodeHandler(handler);
  const requests: { rpc: string; headers: Record<string, string | string[] | undefined> }[] = [];
  const { url, close } = await listen((request, response) => {
    const rpc = String(request.headers['mcp-method'] ?? '');
    requests.push({ rpc, headers: request.headers });
    const answer = (): void => void handle(request as Parameters<typeof handle>[0], response);
    const wait = rpc === 'server/discover' ? beforeDiscover?.(requests) : undefined;
    if (wait === undefined) answer();
    else void wait.then(answer);
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
