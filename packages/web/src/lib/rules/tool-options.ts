import type { McpServerView, McpToolView } from '@toolyard/protocol';
import { formatToolReference, showName } from '@toolyard/protocol';
import { serverLabel } from '../servers/server-words.ts';

type Server = Pick<McpServerView, 'id' | 'tools' | 'serverInfo'> & { builtIn?: boolean };
export type ToolOption<S extends Server> = {
  value: string;
  label: string;
  group: string;
  server: S;
  view: McpToolView;
};

/** Options of a tool selection. A closed list shows no groups, so tools of the same name have their server appended. */
export function toolOptions<S extends Server>(servers: readonly S[]): ToolOption<S>[] {
  const counts = new Map<string, number>();
  for (const { tools } of servers)
    for (const { tool } of tools) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  return servers.flatMap((server) => {
    const { name: serverName } = serverLabel(server);
    return server.tools.map((view) => {
      const name = showName(view.tool.name);
      const isShared = (counts.get(view.tool.name) ?? 0) > 1;
      return {
        value: formatToolReference(view.tool),
        label: isShared ? `${name} (${serverName})` : name,
        group: serverName,
        server,
        view,
      };
    });
  });
}
