import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject, JsonValue, Owner, ToolReference } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import type { ConfiguredServer } from './configured-servers.ts';

/** Settings keys of what users enabled or disabled. Written only here. */
const ENABLED_KEY = 'mcp.enabled';
const TOOLS_KEY = 'mcp.tools';

export type ServerListOptions = {
  /** The owner of this server: the only user who may enable or disable MCP servers. */
  owner: Owner;
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  now: () => number;
};

/** Changes between two server lists. */
export type Differences = { removed: string[]; added: string[]; changed: string[]; switched: string[] };

/**
 * The configured servers, and which of them and of their tools are enabled: the latest change wins, in the file or by a
 * user.
 */
export class ServerList {
  readonly #options: ServerListOptions;
  #servers: ReadonlyMap<string, ConfiguredServer> = new Map();
  /** What users enabled or disabled, including servers that are not configured now. */
  #enabled: JsonObject;
  #tools: JsonObject;
  #version = 0;
  /** Changes that are not stored yet. */
  readonly #unkept = new Set<string>();
  #writes = 0;
  #writing = 0;

  private constructor(options: ServerListOptions, enabled: JsonObject, tools: JsonObject) {
    this.#options = options;
    this.#enabled = enabled;
    this.#tools = tools;
  }

  static async open(options: ServerListOptions): Promise<ServerList> {
    const { settings, owner } = options;
    const enabled = await settings.get(owner, ENABLED_KEY);
    const tools = await settings.get(owner, TOOLS_KEY);
    return new ServerList(options, isJsonObject(enabled) ? enabled : {}, isJsonObject(tools) ? tools : {});
  }

  /** Reads changes made by another process. Returns the servers that were enabled or disabled by them. */
  async reload(): Promise<string[]> {
    const { settings, owner } = this.#options;
    let seen: number;
    let enabled: JsonValue | undefined;
    let tools: JsonValue | undefined;
    do {
      seen = this.#writes;
      enabled = await settings.get(owner, ENABLED_KEY);
      tools = await settings.get(owner, TOOLS_KEY);
      // A write in progress is newer than what was read.
    } while (seen !== this.#writes || this.#writing > 0);
    const wasOn = new Map(this.ids.map((id) => [id, this.isEnabled(id)]));
    const toolsNow = isJsonObject(tools) ? tools : {};
    if (JSON.stringify(toolsNow) !== JSON.stringify(this.#tools)) this.#version++;
    this.#enabled = isJsonObject(enabled) ? enabled : {};
    this.#tools = toolsNow;
    return [...wasOn].flatMap(([id, was]) => (was === this.isEnabled(id) ? [] : [id]));
  }

  get all(): ConfiguredServer[] {
    return [...this.#servers.values()];
  }

  get ids(): string[] {
    return [...this.#servers.keys()];
  }

  find(id: string): ConfiguredServer | undefined {
    return this.#servers.get(id);
  }

  /** Increases with every change of enabled tools. */
  get version(): number {
    return this.#version;
  }

  isEnabled(id: string): boolean {
    const choice = this.#enabled[id];
    return typeof choice === 'boolean' ? choice : this.#servers.get(id)?.enabled === true;
  }

  isToolOn({ serverId, name }: ToolReference): boolean {
    const choices = this.#tools[serverId];
    const choice = isJsonObject(choices) && Object.hasOwn(choices, name) ? choices[name] : undefined;
    if (typeof choice === 'boolean') return choice;
    const { disabled, only } = this.#servers.get(serverId)?.tools ?? {};
    return disabled?.includes(name) !== true && only?.includes(name) !== false;
  }

  /** Servers without a fault. */
  get usable(): ServerConfig[] {
    return this.all.flatMap((server) => ('config' in server ? [server.config] : []));
  }

  /** The disabled tools of a server, by the server's names. */
  toolsOff(id: string): string[] {
    const choices = this.#tools[id];
    const named = [
      ...(this.#servers.get(id)?.tools?.disabled ?? []),
      ...(isJsonObject(choices) ? Object.keys(choices) : []),
    ];
    return [...new Set(named)].filter((name) => !this.isToolOn({ serverId: id, name }));
  }

  /** Applies a new list. A setting that changed in the file overrides the user's choice. */
  async update(servers: readonly ConfiguredServer[]): Promise<Differences> {
    const before = this.#servers;
    const after = new Map(servers.map((server) => [server.id, server]));
    const wasOn = new Map([...before.keys()].map((id) => [id, this.isEnabled(id)]));
    const changedInFile = { enabled: [] as string[], tools: [] as string[] };
    const differences: Differences = { removed: [], added: [], changed: [], switched: [] };
    for (const id of before.keys()) if (!after.has(id)) differences.removed.push(id);
    for (const [id, server] of after) {
      const old = before.get(id);
      if (old === undefined) {
        differences.added.push(id);
        continue;
      }
      if (old.enabled !== server.enabled) changedInFile.enabled.push(id);
      if (getToolsKey(old) !== getToolsKey(server)) changedInFile.tools.push(id);
      if (getMeaning(old) !== getMeaning(server)) differences.changed.push(id);
    }
    // First, so that after a storage error the same list still counts as new.
    await this.forget(changedInFile.enabled, changedInFile.tools);
    this.#servers = after;
    this.#version++;
    for (const [id, was] of wasOn) {
      if (after.has(id) && was !== this.isEnabled(id) && !differences.changed.includes(id))
        differences.switched.push(id);
    }
    return differences;
  }

  async switchServer(id: string, enabled: boolean): Promise<void> {
    this.#enabled = { ...this.#enabled, [id]: enabled };
    await this.#keep(ENABLED_KEY, this.#enabled);
  }

  async switchTools(id: string, tools: Readonly<Record<string, boolean>>): Promise<void> {
    const before = this.#tools[id];
    this.#tools = { ...this.#tools, [id]: { ...(isJsonObject(before) ? before : {}), ...tools } };
    this.#version++;
    await this.#keep(TOOLS_KEY, this.#tools);
  }

  /** Deletes the user's choices for these servers, and for the tools of those. */
  async forget(servers: readonly string[], ofTools: readonly string[]): Promise<void> {
    const enabled = without(this.#enabled, servers);
    const tools = without(this.#tools, ofTools);
    const [hadEnabled, hadTools] = [this.#enabled !== enabled, this.#tools !== tools];
    this.#enabled = enabled;
    this.#tools = tools;
    if (hadTools) this.#version++;
    if (hadEnabled || this.#unkept.has(ENABLED_KEY)) await this.#keep(ENABLED_KEY, enabled);
    if (hadTools || this.#unkept.has(TOOLS_KEY)) await this.#keep(TOOLS_KEY, tools);
  }

  async #keep(key: string, value: JsonObject): Promise<void> {
    const { settings, owner, now } = this.#options;
    this.#writes++;
    this.#writing++;
    this.#unkept.add(key);
    try {
      await settings.set(owner, key, value, now());
      this.#unkept.delete(key);
    } finally {
      this.#writing--;
    }
  }
}

/** Returns the same object if it contains none of the ids. */
function without(all: JsonObject, ids: readonly string[]): JsonObject {
  if (!ids.some((id) => Object.hasOwn(all, id))) return all;
  return Object.fromEntries(Object.entries(all).filter(([id]) => !ids.includes(id)));
}

/** Equal if no reconnect is needed. */
function getMeaning(server: ConfiguredServer): string {
  return JSON.stringify('config' in server ? [server.origin, server.config] : [server.origin, server.fault.message]);
}

function getToolsKey({ tools }: ConfiguredServer): string {
  return JSON.stringify([tools?.disabled, tools?.only]);
}
