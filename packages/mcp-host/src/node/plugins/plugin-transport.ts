import type { Fetch, JsonObject } from '@toolyard/protocol';
import type { PluginConfig } from '../../config/plugin-config.ts';
import { createInMemoryTransport } from '../../transports/in-memory-transport.ts';
import type { HostTransport, TransportContext } from '../../transports/transport.ts';
import { loadPlugin } from './load-plugin.ts';
import { typedSettings } from './plugin-settings.ts';
import { servePlugin } from './serve-plugin.ts';

export type PluginTransportOptions = {
  /** Reaches the URLs of the configuration wherever they are, and all others on the public internet only. */
  fetch: Fetch;
  /** The settings that the user entered for a server, decrypted. */
  settings?: (serverId: string, config: PluginConfig) => Promise<JsonObject>;
};

/**
 * Reads the plugin, and connects to a server in this process that offers it as MCP.
 *
 * @throws ToolyardError if its manifest or OpenAPI document cannot be used
 */
export async function createPluginTransport(
  config: PluginConfig,
  context: TransportContext,
  { fetch, settings = () => Promise.resolve({}) }: PluginTransportOptions,
): Promise<HostTransport> {
  const plugin = await loadPlugin(config, { fetch, clock: context.clock, signal: context.signal });
  for (const note of plugin.notes) context.log('warning', note);
  const serve = servePlugin(plugin, {
    fetch,
    settings: async () => ({
      ...typedSettings(plugin.settings, config.settings ?? {}),
      ...(await settings(context.serverId, config)),
    }),
  });
  return createInMemoryTransport({ type: 'in-memory', name: 'plugin' }, context, { plugin: serve });
}
