import type { JsonObject } from '@toolyard/protocol';
import { missingSettings, createMissingSettingsError } from './credentials.ts';
import { isSecretSetting, settingProperties } from './plugin-settings.ts';
import type { PluginRequest } from './plugin.ts';
import type { Manifest } from './read-manifest.ts';

/** The header with the settings as JSON, as plugins of LobeChat expect it. */
const SETTINGS_HEADER = 'x-lobe-plugin-settings';

/** A call of the plugin itself: the arguments are the body. @throws ToolyardError `bad_config` without a needed setting */
export function requestToPlugin(
  manifest: Manifest,
  url: string,
  args: JsonObject,
  settings: JsonObject,
): PluginRequest {
  return post(manifest, url, JSON.stringify(args), settings);
}

/** A call through a gateway of LobeChat's protocol, which calls the plugin. @throws as {@link requestToPlugin} does */
export function requestToGateway(
  manifest: Manifest & { gateway: string },
  apiName: string,
  args: JsonObject,
  settings: JsonObject,
): PluginRequest {
  const { identifier, kind, raw } = manifest;
  const body = { identifier, apiName, arguments: JSON.stringify(args), type: kind, manifest: raw };
  return post(manifest, manifest.gateway, JSON.stringify(body), settings);
}

function post(
  { credential, ownSettings }: Manifest,
  address: string,
  body: string,
  settings: JsonObject,
): PluginRequest {
  const required = Array.isArray(ownSettings?.['required']) ? ownSettings['required'] : [];
  const missing = required.filter((name) => typeof name === 'string').filter((name) => !Object.hasOwn(settings, name));
  const placed = credential?.place(settings);
  if (credential !== null && placed === undefined) missing.push(...missingSettings([credential], settings));
  if (missing.length > 0) throw createMissingSettingsError([...new Set(missing)]);
  const url = new URL(address);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (placed?.in === 'header') headers[placed.name.toLowerCase()] = placed.value;
  if (placed?.in === 'query') url.searchParams.set(placed.name, placed.value);
  const own = Object.fromEntries(
    Object.entries(settings).filter(([name]) => credential === null || !Object.hasOwn(credential.settings, name)),
  );
  if (Object.keys(own).length > 0) headers[SETTINGS_HEADER] = asciiJson(own);
  const properties = settingProperties(ownSettings ?? null);
  const secrets = Object.entries(own).flatMap(([name, value]) =>
    typeof value === 'string' && isSecretSetting(properties[name]) ? [value] : [],
  );
  return { method: 'POST', url: url.href, headers, body, secrets: [...secrets, ...(placed?.secrets ?? [])] };
}

/** Headers have no other characters. */
function asciiJson(value: JsonObject): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
