import type { McpToolView } from '@toolyard/protocol';
import { sourceOfTool } from '../resources/source-of-tool.ts';
import type { CallView } from '../transcript/calls.ts';

/** The app that shows the calls of a tool. */
export type CallApp = { place: 'server' | 'tab'; serverId: string; tool: string; uri: string };

type Tools = readonly { id: string; tools: readonly Pick<McpToolView, 'tool' | 'ui'>[] }[];

/** The app of a call whose server declares one; null for all others. */
export function appOfCall(call: Pick<CallView, 'tool'>, servers: Tools, tabServers: Tools): CallApp | null {
  const { tool } = call;
  if (tool === null) return null;
  const { place, serverId } = sourceOfTool(tool);
  const found = (place === 'tab' ? tabServers : servers)
    .find(({ id }) => id === serverId)
    ?.tools.find((view) => view.tool.name === tool.name);
  const uri = found?.ui?.resourceUri;
  return uri === undefined ? null : { place, serverId, tool: tool.name, uri };
}
