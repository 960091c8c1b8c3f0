import type { ListedTool, ServerConfig, ToolPin } from '@toolyard/mcp-host';
import { definitionHash, ToolTrust } from '@toolyard/mcp-host';
import type { ApprovalInterrupt, Clock, JsonValue, Owner, TabServer, TabTool, ToolReference } from '@toolyard/protocol';
import { formatToolReference, isJsonObject } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';

/** Before `server/tool`. Written here only. */
const PREFIX = 'tab.pin:';

/** What was approved of the tools of tabs. Two browsers may call different servers by one id: a pin tells them apart. */
export type TabPins = {
  /** What was approved, held against what these servers are now. */
  review(principal: Owner, servers: readonly TabServer[]): Promise<ToolTrust>;
  /** The tool counts as approved as long as it is what was shown with the question. */
  approve(principal: Owner, of: Pick<ApprovalInterrupt, 'tool' | 'definition'>, servers: TabServer[]): Promise<void>;
};

export function createTabPins({ settings, clock }: { settings: SettingsRepository; clock: Clock }): TabPins {
  return {
    async review(principal, servers) {
      const pins = new Map<string, ToolPin>();
      for (const [key, value] of await settings.all(principal)) {
        const pin = key.startsWith(PREFIX) ? readPin(value) : null;
        if (pin !== null) pins.set(key.slice(PREFIX.length), pin);
      }
      const trust = new ToolTrust(pins);
      for (const server of servers) {
        trust.review(configOf(server), new Map(server.tools.map((tool) => [tool.name, toListedTool(tool)])));
      }
      return trust;
    },
    async approve(principal, { tool, definition }, servers) {
      const pins = new Map<string, ToolPin>();
      const trust = new ToolTrust(pins);
      const server = servers.find(({ id }) => id === tool.serverId);
      const now = server?.tools.find(({ name }) => name === tool.name);
      if (server && now) trust.approve(configOf(server), toListedTool(now), definition);
      else if (definition !== undefined) trust.approveUnseen(tool, definition);
      const pin = pins.get(formatToolReference(tool));
      if (pin) await settings.set(principal, PREFIX + formatToolReference(tool), { ...pin }, clock.now());
    },
  };
}

/** What stands for a tool of these servers as it is now; undefined where they have none of that name. */
export function definitionIn(servers: readonly TabServer[], { serverId, name }: ToolReference): string | undefined {
  const server = servers.find(({ id }) => id === serverId);
  const tool = server?.tools.find((each) => each.name === name);
  return server && tool ? definitionHash(configOf(server), toListedTool(tool)) : undefined;
}

/** True where these servers have the tool of a call, and it is what the run was told of. */
export function canExecute(
  servers: readonly TabServer[],
  { tool, definition }: { tool: ToolReference; definition: string },
): boolean {
  const now = definitionIn(servers, tool);
  return now !== undefined && (definition === '' || now === definition);
}

const configs = new WeakMap<TabServer, ServerConfig>();

/** The server as the trust of the MCP host looks at one; the tab's own host makes the same of it. */
function configOf(server: TabServer): ServerConfig {
  const { id, url } = server;
  let known = configs.get(server);
  if (!known) configs.set(server, (known = { id, transport: { type: 'http', url } }));
  return known;
}

const made = new WeakMap<TabTool, ListedTool>();

/** The tool as a server's list would have it: the same object for the same tool. */
export function toListedTool(tool: TabTool): ListedTool {
  let known = made.get(tool);
  if (!known) made.set(tool, (known = { ...tool, hasHeaderParameters: false }));
  return known;
}

function readPin(value: JsonValue): ToolPin | null {
  if (!isJsonObject(value)) return null;
  const { hash, endpoint, definition } = value;
  if (typeof hash !== 'string' || typeof endpoint !== 'string' || !isJsonObject(definition)) return null;
  return { hash, endpoint, definition };
}
