import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { PluginConfig } from '../../config/plugin-config.ts';
import { readUrl } from '../../values/read-url.ts';
import type { Credential } from './credentials.ts';
import { credentialOfAuth } from './credentials.ts';
import type { PluginDocument } from './parse-document.ts';
import { createUnreadableError } from './parse-document.ts';
import type { Plugin, PluginKind } from './plugin.ts';

const KINDS: readonly PluginKind[] = ['default', 'markdown', 'standalone'];
export const MAX_FUNCTIONS = 500;

/** A function of a manifest. `url`: absent if the gateway, an OpenAPI document or the plugin's page executes it. */
type ManifestFunction = { name: string; description?: string; inputSchema: JsonObject; url?: string };

/** A manifest, before the OpenAPI document that it may name is read. */
export type Manifest = Omit<Plugin, 'tools' | 'settings' | 'source'> & {
  functions: readonly ManifestFunction[];
  /** The schema of the settings that it declares itself. */
  ownSettings?: JsonObject;
  credential: Credential | null;
  /** The OpenAPI document whose operations are functions as well. */
  openapi?: string;
  /** All calls go to this URL instead of the plugin. */
  gateway?: string;
  raw: JsonObject;
};

/**
 * Reads a manifest of LobeChat, or of ChatGPT's plugins (`ai-plugin.json`). An unusable function is left out with a
 * note; whatever concerns the whole plugin is an error.
 *
 * @throws ToolyardError `bad_response` with the place
 */
export function readManifest({ value: raw, formatLocation }: PluginDocument, config: PluginConfig): Manifest {
  const createManifestError = (path: readonly (string | number)[], what: string): Error =>
    createUnreadableError(`${formatLocation(path)}: ${what}`);
  const url = (key: string, value: JsonValue | undefined): string | undefined => {
    const read = resolveUrl(value, config.url);
    if (read === null) throw createManifestError([key], `"${key}" must be an http or https URL (got ${shown(value)}).`);
    return read;
  };
  const meta = isJsonObject(raw['meta']) ? raw['meta'] : {};
  const identifier = textIn(raw, 'identifier') ?? textIn(raw, 'name_for_model');
  if (identifier === undefined) throw createManifestError([], 'the manifest has no "identifier".');
  const kind = KINDS.find((each) => each === (raw['type'] ?? 'default'));
  if (kind === undefined) {
    throw createManifestError(['type'], `"type" must be default, markdown or standalone (got ${shown(raw['type'])}).`);
  }
  const settings = raw['settings'] ?? undefined;
  if (settings !== undefined && !isJsonObject(settings))
    throw createManifestError(['settings'], '"settings" must be a JSON Schema.');
  const ofChatGpt = isJsonObject(raw['api']) ? raw['api']['url'] : undefined;
  const openapi = url('openapi', raw['openapi'] ?? ofChatGpt);
  const gateway = config.gateway ?? url('gateway', raw['gateway']);
  const page = readPage(raw['ui'], config.url);
  if (page === null)
    throw createManifestError(['ui'], '"ui.url" must be an http or https URL, and "ui.mode" must be "iframe".');
  if (kind === 'standalone' && page === undefined)
    throw createManifestError(['ui'], 'a standalone plugin needs a page: "ui.url".');
  const credential = isJsonObject(raw['auth']) ? credentialOfAuth(raw['auth'], formatLocation(['auth'])) : null;
  const notes: string[] = [];
  const functions = readFunctions(raw['api'], config.url, (index, why) => {
    notes.push(`${formatLocation(['api', index])}: left out: ${why}`);
  }).filter(({ name, url: own }) => {
    // The operation of this name in the OpenAPI document is the function.
    if (kind === 'standalone' || own !== undefined || gateway !== undefined) return true;
    if (openapi === undefined) notes.push(`${formatLocation(['api'])}: left out: ${shown(name)} has no "url".`);
    return false;
  });
  if (functions.length === 0 && openapi === undefined) {
    throw createManifestError(['api'], ['the manifest has no usable function.', ...notes.slice(0, 3)].join(' '));
  }
  return {
    identifier: identifier.slice(0, 200),
    title: (textIn(meta, 'title') ?? textIn(raw, 'name_for_human') ?? identifier).slice(0, 200),
    kind,
    ...defined({
      description: textIn(meta, 'description') ?? textIn(raw, 'description_for_human'),
      homepage: resolveUrl(raw['homepage'], config.url) ?? undefined,
      instructions: textIn(raw, 'systemRole') ?? textIn(raw, 'description_for_model'),
      mcpUrl: mcpUrlIn(raw),
      page,
      openapi,
      gateway,
      ownSettings: settings,
    }),
    credential,
    functions,
    notes,
    raw,
  };
}

function readFunctions(
  api: JsonValue | undefined,
  base: string,
  leaveOut: (index: number, why: string) => void,
): ManifestFunction[] {
  const found = new Map<string, ManifestFunction>();
  for (const [index, entry] of (Array.isArray(api) ? api : []).entries()) {
    const name = isJsonObject(entry) ? textIn(entry, 'name') : undefined;
    if (!isJsonObject(entry) || name === undefined) leaveOut(index, 'it has no "name".');
    else if (found.has(name)) leaveOut(index, `there are two functions named ${shown(name)}.`);
    else if (found.size >= MAX_FUNCTIONS) leaveOut(index, `a plugin may have ${MAX_FUNCTIONS} functions.`);
    else {
      const url = resolveUrl(entry['url'], base);
      const { parameters = { type: 'object', properties: {} } } = entry;
      if (url === null) leaveOut(index, `"url" must be an http or https URL (got ${shown(entry['url'])}).`);
      else if (!isJsonObject(parameters)) leaveOut(index, '"parameters" must be a JSON Schema.');
      else {
        const description = textIn(entry, 'description');
        found.set(name, { name, inputSchema: parameters, ...defined({ description, url }) });
      }
    }
  }
  return [...found.values()];
}

/** Null if it cannot be shown. */
function readPage(ui: JsonValue | undefined, base: string): Plugin['page'] | null {
  if (!isJsonObject(ui)) return undefined;
  const url = resolveUrl(ui['url'], base);
  if (url === undefined && ui['mode'] === undefined) return undefined;
  if (url == null || (ui['mode'] ?? 'iframe') !== 'iframe') return null;
  const { height } = ui;
  return { url, ...(typeof height === 'number' && height > 0 ? { height: Math.min(2_000, height) } : {}) };
}

/** LobeChat stores the connection of a plugin that became an MCP server in `customParams` or `customPluginParams`. */
function mcpUrlIn(raw: JsonObject): string | undefined {
  for (const holder of [raw, raw['customPluginParams'], raw['customParams']]) {
    const mcp = isJsonObject(holder) ? holder['mcp'] : undefined;
    const url = isJsonObject(mcp) ? mcp['url'] : mcp;
    if (typeof url === 'string' && /^https?:$/.test(readUrl(url)?.protocol ?? '')) return url;
  }
  return undefined;
}

/** An absolute URL; undefined without a value, null if it cannot be used. */
function resolveUrl(value: JsonValue | undefined, base: string): string | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !URL.canParse(value, base)) return null;
  const url = new URL(value, base);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url.href;
}

function textIn(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function shown(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 80);
}
