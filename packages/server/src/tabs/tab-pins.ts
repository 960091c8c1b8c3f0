import type { ListedTool, PinnedServer, ToolPin } from '@toolyard/mcp-host';
import { definitionHash, ToolTrust } from '@toolyard/mcp-host';
import type { ApprovalInterrupt, Clock, Owner, TabServer, TabTool, ToolReference } from '@toolyard/protocol';
import { defined, formatToolReference } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import { readPins } from '../mcp/stored-pins.ts';

/** Prefix of `server/tool`. Written only here. */
const PREFIX = 'tab.pin:';

/**
 * Approved definitions of the tools of tabs. Two browsers may have different servers with one id; the pin distinguishes
 * them.
 */
export type TabPins = {
  /** Compares the approvals with the current definitions of these servers. */
  review(principal: Owner, servers: readonly TabServer[]): Promise<ToolTrust>;
  /** Approves the tool as shown with the interrupt; a changed definition needs approval again. */
  approve(principal: Owner, of: Pick<ApprovalInterrupt, 'tool' | 'definition'>, servers: TabServer[]): Promise<void>;
};

export function createTabPins({ settings, clock }: { settings: SettingsRepository; clock: Clock }): TabPins {
  return {
    async review(principal, servers) {
      const trust = new ToolTrust(await readPins({ settings, owner: principal }, PREFIX));
      for (const server of servers) {
        trust.review(getConfig(server), new Map(server.tools.map((tool) => [tool.name, toListedTool(tool)])));
      }
      return trust;
    },
    async approve(principal, { tool, definition }, servers) {
      const pins = new Map<string, ToolPin>();
      const trust = new ToolTrust(pins);
      const server = servers.find(({ id }) => id === tool.serverId);
      const now = server?.tools.find(({ name }) => name === tool.name);
      if (server && now) trust.approve(getConfig(server), toListedTool(now), definition);
      else if (definition !== undefined) trust.approveUnseen(tool, definition);
      const pin = pins.get(formatToolReference(tool));
      if (pin) await settings.set(principal, PREFIX + formatToolReference(tool), { ...pin }, clock.now());
    },
  };
}

/** Hash of the current definition of a tool; undefined if these servers do not have it. */
export function definitionIn(servers: readonly TabServer[], { serverId, name }: ToolReference): string | undefined {
  const server = servers.find(({ id }) => id === serverId);
  const tool = server?.tools.find((each) => each.name === name);
  return server && tool ? definitionHash(getConfig(server), toListedTool(tool)) : undefined;
}

/** True if these servers have the tool of a call, with the definition that the run knows. */
export function canExecute(
  servers: readonly TabServer[],
  { tool, definition }: { tool: ToolReference; definition: string },
): boolean {
  const now = definitionIn(servers, tool);
  return now !== undefined && (definition === '' || now === definition);
}

const configs = new WeakMap<TabServer, PinnedServer>();

/** The server in the form that the MCP host's tool pins use, as in the tab. */
function getConfig(server: TabServer): PinnedServer {
  const { id, url, endpoint } = server;
  let known = configs.get(server);
  if (!known) configs.set(server, (known = { id, transport: { type: 'http', url }, ...defined({ endpoint }) }));
  return known;
}

const made = new WeakMap<TabTool, ListedTool>();

/** The tool as an entry of a server's list; returns the same object for the same tool. */
export function toListedTool(tool: TabTool): ListedTool {
  let known = made.get(tool);
  if (!known) made.set(tool, (known = { ...tool, hasHeaderParameters: false }));
  return known;
}
