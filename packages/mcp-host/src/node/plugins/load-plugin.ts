import type { Clock, Fetch, JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import { displayUrl } from '../../log/redact.ts';
import type { PluginConfig } from '../../config/plugin-config.ts';
import { limitMessages } from '../../transports/body-limit.ts';
import { findNetworkCode } from '../../transports/network-error.ts';
import { settingsSchema } from './credentials.ts';
import { dereference } from './dereference.ts';
import { requestToGateway, requestToPlugin } from './manifest-requests.ts';
import { parseDocument, createUnreadableError } from './parse-document.ts';
import type { Plugin, PluginTool } from './plugin.ts';
import type { Manifest } from './read-manifest.ts';
import { readManifest } from './read-manifest.ts';
import type { OpenApiTools } from './read-openapi.ts';
import { openApiVersion, readOpenApi } from './read-openapi.ts';

/** Longest manifest or OpenAPI document, in bytes. */
const MAX_DOCUMENT = 2_000_000;
/** Timeout of reading all documents of a plugin, in milliseconds. */
const LOAD_TIMEOUT_MS = 20_000;

export type LoadPluginOptions = {
  /** Reaches the URL of the plugin wherever it is, and all others on the public internet only. */
  fetch: Fetch;
  clock: Clock;
  signal?: AbortSignal | undefined;
};

/**
 * Reads a plugin from the URL of its manifest or OpenAPI document.
 *
 * @throws ToolyardError that says what is wrong, and where
 * @example
 * const config = { type: 'plugin', url: 'https://example.com/manifest.json' } as const;
 * const plugin = await loadPlugin(config, { fetch, clock: systemClock });
 * console.log(plugin.tools.map(({ name }) => name));
 */
export async function loadPlugin(config: PluginConfig, options: LoadPluginOptions): Promise<Plugin> {
  const timeout = new AbortController();
  const cancelTimer = options.clock.after(LOAD_TIMEOUT_MS, () => timeout.abort());
  const signal = options.signal === undefined ? timeout.signal : AbortSignal.any([options.signal, timeout.signal]);
  const read = (url: string): Promise<string> => readText(url, options.fetch, signal);
  try {
    const name = displayUrl(config.url);
    const document = parseDocument(await read(config.url), name);
    const version = openApiVersion(document.value);
    if (version !== null) {
      const found = await loadOpenApi(config.url, document.value, { read, standard: null });
      timeout.signal.throwIfAborted();
      return pluginOfOpenApi(document.value, found);
    }
    const manifest = readManifest(document, config);
    const { openapi } = manifest;
    if (openapi === undefined) return pluginOfManifest(manifest, null);
    const described = parseDocument(await read(openapi), displayUrl(openapi)).value;
    const found = await loadOpenApi(openapi, described, { read, standard: manifest.credential });
    timeout.signal.throwIfAborted();
    return pluginOfManifest(manifest, found);
  } catch (thrown) {
    if (timeout.signal.aborted) {
      throw new ToolyardError({
        code: 'timed_out',
        message: say`The documents of the plugin could not be read within ${LOAD_TIMEOUT_MS / 1_000} s.`,
        retryable: true,
      });
    }
    throw thrown;
  } finally {
    cancelTimer();
  }
}

async function loadOpenApi(
  url: string,
  document: JsonObject,
  { read, standard }: { read: (url: string) => Promise<string>; standard: Manifest['credential'] },
): Promise<OpenApiTools> {
  if (openApiVersion(document) !== 'supported') {
    const version = document['swagger'] === undefined ? '' : ' (this is one of Swagger 2)';
    throw createUnreadableError(
      `${displayUrl(url)} is not an OpenAPI 3 document: "openapi" must begin with "3."${version}.`,
    );
  }
  const { document: whole, refusal } = await dereference(url, document, read);
  const found = readOpenApi(whole, url, standard);
  if (found.tools.length > 0) return found;
  if (refusal !== undefined) throw refusal;
  throw createUnreadableError(
    [`${displayUrl(url)} has no operation that Toolyard can call.`, ...found.notes.slice(0, 3)].join(' '),
  );
}

function pluginOfOpenApi(document: JsonObject, { tools, credentials, notes }: OpenApiTools): Plugin {
  const info = isJsonObject(document['info']) ? document['info'] : {};
  const title = typeof info['title'] === 'string' && info['title'] !== '' ? info['title'].slice(0, 200) : 'OpenAPI';
  const description = typeof info['description'] === 'string' ? info['description'].slice(0, 4_000) : undefined;
  return {
    identifier: title,
    title,
    kind: 'default',
    source: 'openapi',
    ...defined({ description }),
    settings: settingsSchema(undefined, credentials),
    tools,
    notes,
  };
}

function pluginOfManifest(manifest: Manifest, openapi: OpenApiTools | null): Plugin {
  const { functions, ownSettings, credential, gateway, openapi: _url, raw: _raw, notes, ...about } = manifest;
  const own = functions.map((each): PluginTool => {
    const { url, name, inputSchema, description } = each;
    const shown = { name, inputSchema, ...defined({ description }), readOnly: false };
    if (about.kind === 'standalone') return { ...shown, endpoint: `page ${about.page?.url ?? ''}` };
    if (gateway !== undefined) {
      const through = { ...manifest, gateway };
      return {
        ...shown,
        endpoint: `POST ${gateway}${url === undefined ? '' : ` for ${url}`}`,
        request: (args, settings) => requestToGateway(through, name, args, settings),
      };
    }
    const endpoint = url ?? '';
    return {
      ...shown,
      endpoint: `POST ${endpoint}`,
      request: (args, settings) => requestToPlugin(manifest, endpoint, args, settings),
    };
  });
  const described = (openapi?.tools ?? []).filter(({ name }) => own.every((each) => each.name !== name));
  const credentials = [...(openapi?.credentials ?? []), ...(credential === null ? [] : [credential])];
  return {
    ...about,
    source: 'manifest',
    settings: settingsSchema(ownSettings, credentials),
    tools: [...own, ...described.map((tool) => throughGateway(manifest, tool))],
    notes: [...notes, ...(openapi?.notes ?? [])],
  };
}

/** A gateway reads the OpenAPI document itself. */
function throughGateway(manifest: Manifest, tool: PluginTool): PluginTool {
  const { gateway } = manifest;
  if (gateway === undefined) return tool;
  return {
    ...tool,
    endpoint: `POST ${gateway} for ${tool.endpoint}`,
    request: (args, settings) => requestToGateway({ ...manifest, gateway }, tool.name, args, settings),
  };
}

async function readText(url: string, fetch: Fetch, signal: AbortSignal): Promise<string> {
  const name = displayUrl(url);
  let response: Response;
  try {
    response = await limitMessages(fetch, MAX_DOCUMENT)(url, {
      headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
      signal,
    });
  } catch (thrown) {
    const network = findNetworkCode(thrown);
    if (network === undefined) throw thrown;
    throw new ToolyardError({
      code: 'server_unreachable',
      message: say`The document of the plugin at ${name} cannot be reached (${network.code}).`,
      hint: say`Check the URL, and that the plugin is running.`,
      retryable: true,
    });
  }
  if (!response.ok) {
    await response.body?.cancel();
    const isPermanent = response.status === 404 || response.status === 410;
    throw new ToolyardError({
      code: 'bad_response',
      message: say`The document of the plugin at ${name} could not be read (HTTP ${response.status}).`,
      hint: say`Check the URL of the plugin.`,
      ...(isPermanent ? {} : { retryable: true }),
    });
  }
  return response.text();
}
