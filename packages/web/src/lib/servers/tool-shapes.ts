import type { McpServerView, ToolReference } from '@toolyard/protocol';
import { areLookalikes, nameShape, showName } from '@toolyard/protocol';
import { serverLabel } from './server-words.ts';

type Server = Parameters<typeof serverLabel>[0] & Pick<McpServerView, 'enabled' | 'state' | 'tools'>;

/** Usable tools by the shape of their names. */
export type ToolShapes = ReadonlyMap<string, readonly { tool: ToolReference; shown: string }[]>;

/** The usable tools of servers that are enabled, or connected because a chat has chosen them. */
export function toolShapes(servers: readonly Server[]): ToolShapes {
  const shapes = new Map<string, { tool: ToolReference; shown: string }[]>();
  for (const server of servers) {
    if (!server.enabled && server.state !== 'ready') continue;
    for (const { tool, enabled } of server.tools) {
      if (!enabled) continue;
      const shape = nameShape(tool.name);
      const known = shapes.get(shape) ?? [];
      known.push({ tool, shown: `${serverLabel(server).name}/${showName(tool.name)}` });
      shapes.set(shape, known);
    }
  }
  return shapes;
}

/** The usable tools that a tool can be mistaken for, as `server/tool`. */
export function listLookalikes(tool: ToolReference, shapes: ToolShapes): string[] {
  const near = shapes.get(nameShape(tool.name)) ?? [];
  return near.filter((other) => areLookalikes(tool, other.tool)).map(({ shown }) => shown);
}
