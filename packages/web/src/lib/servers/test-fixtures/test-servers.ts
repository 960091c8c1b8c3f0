import type { McpServerView, McpToolView } from '@toolyard/protocol';

/** A tool for tests. */
export function testTool(serverId: string, name: string, changes: Partial<McpToolView> = {}): McpToolView {
  return {
    tool: { serverId, name },
    name: `${serverId}_${name}`,
    readOnly: false,
    permission: null,
    enabled: true,
    tokens: 100,
    ...changes,
  };
}

/** A ready server with these tools, unless `changes` says otherwise. */
export function testServer(id: string, tools: readonly string[], changes: Partial<McpServerView> = {}): McpServerView {
  return {
    id,
    state: 'ready',
    enabled: true,
    builtIn: false,
    origin: 'file',
    editable: true,
    transport: { type: 'stdio', command: 'node' },
    phases: [],
    offers: { tools: tools.length },
    tokens: tools.length * 100,
    tools: tools.map((name) => testTool(id, name)),
    skipped: [],
    log: [],
    ...changes,
  };
}
