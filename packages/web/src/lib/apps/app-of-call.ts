import type { InterventionMode, McpToolView } from '@toolyard/protocol';
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

type EarlyTools = readonly {
  id: string;
  tools: readonly Pick<McpToolView, 'tool' | 'name' | 'ui' | 'permission' | 'changed'>[];
}[];

/**
 * The app of a call that the model is still writing or that is about to be made. Only if calls of the tool need no
 * approval: otherwise the user first decides whether the server gets the call.
 */
export function earlyAppOfCall(
  call: Pick<CallView, 'name' | 'tool' | 'over'>,
  mode: InterventionMode | undefined,
  servers: EarlyTools,
): CallApp | null {
  if (call.over || (call.tool !== null && sourceOfTool(call.tool).place === 'tab')) return null;
  const named = servers.flatMap(({ tools }) => tools.filter(({ name }) => name === call.name));
  const [view] = named;
  if (view === undefined || named.length > 1) return null;
  if (call.tool !== null && call.tool.serverId !== view.tool.serverId) return null;
  // A changed tool asks whatever is allowed.
  if (view.changed !== undefined || (mode !== 'auto' && view.permission !== 'allow')) return null;
  return appOfCall({ tool: { ...view.tool, origin: 'server' } }, servers, []);
}
