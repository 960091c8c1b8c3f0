import type { McpSandbox } from '@toolyard/protocol';
import { serverApi } from './server-api.ts';

/** Changes the sandbox of a server in `mcp.json`; the rest of its entry stays, and the server is restarted. */
export async function changeSandbox(id: string, change: (now: McpSandbox) => boolean | McpSandbox): Promise<void> {
  const { transport } = await serverApi.configuration(id);
  if (transport?.type !== 'stdio') return;
  const { sandbox } = transport;
  await serverApi.edit(id, {
    transport: { ...transport, sandbox: change(typeof sandbox === 'object' ? sandbox : {}) },
  });
}

/** Allows a server to read these files and folders. */
export function allowReading(id: string, paths: readonly string[]): Promise<void> {
  return changeSandbox(id, (now) =>
    paths.reduce((settings, target) => withAccess(settings, { kind: 'read', target }), now),
  );
}

/** The settings extended by this. */
export function withAccess(now: McpSandbox, access: { kind: 'read' | 'write' | 'host'; target: string }): McpSandbox {
  const { kind, target } = access;
  const added = (list: readonly string[] = []): string[] => [...new Set([...list, target])];
  if (kind === 'host') return { ...now, network: added(Array.isArray(now.network) ? now.network : []) };
  return kind === 'read' ? { ...now, read: added(now.read) } : { ...now, write: added(now.write) };
}
