import type { JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';
import { createConfigError } from '../values/config-error.ts';

/** A legacy chat plugin: a manifest or an OpenAPI document that names HTTP endpoints. Adapted to an MCP server. */
export type PluginConfig = {
  type: 'plugin';
  /** The URL of the manifest or of the OpenAPI document. */
  url: string;
  /** The gateway that makes the calls; default: that of the manifest, or none, and Toolyard calls the plugin itself. */
  gateway?: string;
  /** Values of the plugin's settings. Values that the user entered on the page override them. */
  settings?: Record<string, string>;
};

/** Identifies a plugin and where calls are sent, without its settings. */
export function pluginIdentity({ url, gateway }: PluginConfig): { [name: string]: string } {
  return { url: withoutSecrets(url), ...(gateway === undefined ? {} : { gateway: withoutSecrets(gateway) }) };
}

/** Queries may be secret. */
function withoutSecrets(address: string): string {
  const url = readUrl(address);
  return url === null ? address : `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Reads an `mcp.json` entry of the type `plugin`; `where` names the place in errors, `fill` substitutes variables.
 *
 * @throws ToolyardError `bad_config`
 */
export function readPlugin(where: string, entry: JsonObject, fill: (text: string) => string): PluginConfig {
  const url = urlIn(where, entry, 'url', fill);
  if (url === undefined) {
    throw createConfigError(
      `${where}: "url" is missing.`,
      'A plugin has the "url" of its manifest or OpenAPI document.',
    );
  }
  const gateway = urlIn(where, entry, 'gateway', fill);
  const settings = settingsIn(where, entry, fill);
  return { type: 'plugin', url, ...defined({ gateway, settings }) };
}

function urlIn(where: string, entry: JsonObject, key: string, fill: (text: string) => string): string | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw createConfigError(`${where}: "${key}" must be a string.`);
  const text = fill(value);
  // The value of a variable is not known yet.
  if (text.includes('${')) return text;
  const url = readUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw createConfigError(
      `${where}: "${key}" must be an http or https URL.`,
      'Write it as https://example.com/manifest.json.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw createConfigError(
      `${where}: "${key}" contains a user name or password.`,
      'Remove everything between // and @; put credentials in the settings.',
    );
  }
  return text;
}

function settingsIn(
  where: string,
  { settings }: JsonObject,
  fill: (text: string) => string,
): Record<string, string> | undefined {
  if (settings === undefined || settings === null) return undefined;
  if (!isJsonObject(settings)) throw createConfigError(`${where}: "settings" must be an object.`);
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (typeof value !== 'string') throw createConfigError(`${where}: "settings.${name}" must be a string.`);
      return [name, fill(value)];
    }),
  );
}
