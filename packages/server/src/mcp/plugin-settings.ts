import type { PluginConfig } from '@toolyard/mcp-host';
import { checkArguments } from '@toolyard/mcp-host';
import type { Plugin } from '@toolyard/mcp-host/node';
import { isSecretSetting, loadPlugin, settingProperties, withoutSecretSettings } from '@toolyard/mcp-host/node';
import type { Clock, JsonObject, McpPlugin, Owner } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, say } from '@toolyard/protocol';
import { createConflictError, createInvalidError } from '../errors.ts';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { fetchForPlugin } from './own-transports.ts';

/** The settings of legacy plugins that the user entered: stored encrypted, one secret per server. */
export type PluginSettings = {
  /** The values for calls. */
  values(serverId: string, config: PluginConfig): Promise<JsonObject>;
  /** Reads the plugin. @throws ToolyardError if its documents cannot be used */
  view(serverId: string, config: PluginConfig, signal?: AbortSignal): Promise<McpPlugin>;
  /** @throws ToolyardError `bad_request` if the values do not match the schema; as `view` does */
  set(serverId: string, config: PluginConfig, values: JsonObject, signal?: AbortSignal): Promise<McpPlugin>;
  forget(serverId: string): Promise<void>;
};

export function createPluginSettings(of: {
  secrets: Pick<Secrets, 'get' | 'set' | 'remove'> | undefined;
  owner: Owner;
  fetches: OwnerFetches;
  clock: Clock;
}): PluginSettings {
  const { secrets, owner, fetches, clock } = of;
  const getName = (serverId: string): string => `mcp.plugin.${serverId}`;
  const load = (config: PluginConfig, signal?: AbortSignal): Promise<Plugin> =>
    loadPlugin(config, { fetch: fetchForPlugin(fetches, config), clock, signal });

  async function values(serverId: string, config: PluginConfig): Promise<JsonObject> {
    const parsed = parseJson((await secrets?.get(owner, getName(serverId))) ?? '');
    if (!parsed.ok || !isJsonObject(parsed.value)) return {};
    const { recipient, values: stored } = parsed.value;
    // Values are sent to the plugin for which they were entered, and to no other.
    return recipient === getRecipient(config) && isJsonObject(stored) ? stored : {};
  }

  async function view(serverId: string, config: PluginConfig, signal?: AbortSignal): Promise<McpPlugin> {
    return toView(await load(config, signal), await values(serverId, config));
  }

  return {
    values,
    view,
    async set(serverId, config, entered, signal) {
      if (secrets === undefined) {
        throw createConflictError(
          say`Settings of plugins cannot be stored here.`,
          say`Write them into "settings" of the entry in mcp.json.`,
        );
      }
      const plugin = await load(config, signal);
      const stored = mergedValues(plugin.settings, entered, await values(serverId, config));
      const fault = plugin.settings === null ? null : checkArguments(withoutRequired(plugin.settings), stored);
      if (fault !== null) {
        throw createInvalidError(say`The settings do not match their schema: ${fault}`);
      }
      if (Object.keys(stored).length === 0) await secrets.remove(owner, getName(serverId));
      else {
        const record = JSON.stringify({ recipient: getRecipient(config), values: stored });
        await secrets.set(owner, getName(serverId), record);
      }
      return toView(plugin, stored);
    },
    forget: async (serverId) => secrets?.remove(owner, getName(serverId)),
  };
}

/** What was entered; secrets that were left out stay, empty ones are deleted. Only settings of the schema are kept. */
function mergedValues(schema: JsonObject | null, entered: JsonObject, before: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const [name, property] of Object.entries(settingProperties(schema))) {
    const value = Object.hasOwn(entered, name) ? entered[name] : isSecretSetting(property) ? before[name] : undefined;
    if (value !== undefined && value !== null && value !== '') merged[name] = value;
  }
  return merged;
}

/** Settings may be entered in steps, or partly be in `mcp.json`. */
function withoutRequired({ required: _required, ...schema }: JsonObject): JsonObject {
  return schema;
}

function toView(plugin: Plugin, stored: JsonObject): McpPlugin {
  const { title, kind, source, description, homepage, mcpUrl, notes, settings } = plugin;
  const properties = settingProperties(settings);
  return {
    title,
    kind,
    source,
    ...defined({ description, homepage, mcpUrl }),
    notes: notes.slice(0, 50),
    schema: settings && { ...settings, properties: marked(properties) },
    values: withoutSecretSettings(settings, stored),
    secrets: Object.keys(stored).filter((name) => isSecretSetting(properties[name])),
  };
}

/** Forms mask the fields of secrets. */
function marked(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isSecretSetting(property) && isJsonObject(property)
        ? { ...property, type: 'string', format: 'password' }
        : property,
    ]),
  );
}

function getRecipient({ url, gateway }: PluginConfig): string {
  return [url, gateway].map((address) => (address === undefined ? '' : new URL(address).origin)).join(' ');
}
