import type { AgentConfiguration, McpServerView, McpToolView, ToolReference } from '@toolyard/protocol';
import { doesNotWork } from './server-state.ts';

type Choices = Pick<AgentConfiguration, 'servers' | 'disabledTools'>;
type Server = Pick<McpServerView, 'id' | 'enabled' | 'state' | 'tools'>;

/**
 * Whether a conversation with these overrides uses a server: an explicit override wins over the default of the server.
 */
export function isServerOn(server: Pick<Server, 'id' | 'enabled'>, choices: Choices): boolean {
  return choices.servers?.[server.id] ?? server.enabled;
}

export function isToolOn(tool: ToolReference, choices: Choices): boolean {
  return !(choices.disabledTools ?? []).includes(toolKey(tool));
}

/** The name of a tool in a configuration. */
export function toolKey(tool: ToolReference): string {
  return `${tool.serverId}/${tool.name}`;
}

/** The tools a conversation with these overrides can call now. */
export function activeTools(servers: readonly Server[], choices: Choices): McpToolView[] {
  return servers
    .filter((server) => isServerOn(server, choices))
    .flatMap((server) =>
      server.tools.filter((view) => view.enabled && view.permission !== 'never' && isToolOn(view.tool, choices)),
    );
}

/** Enabled servers that do not work. */
export function failedServers<T extends Server>(servers: readonly T[], choices: Choices): T[] {
  return servers.filter((server) => doesNotWork(server) && isServerOn(server, choices));
}

export function switchServer(choices: Choices, serverId: string, on: boolean): { servers: Record<string, boolean> } {
  return { servers: { ...choices.servers, [serverId]: on } };
}

export function switchTools(
  choices: Choices,
  tools: readonly ToolReference[],
  on: boolean,
): { disabledTools: string[] } {
  const keys = new Set(tools.map(toolKey));
  const rest = (choices.disabledTools ?? []).filter((key) => !keys.has(key));
  return { disabledTools: on ? rest : [...rest, ...keys] };
}
