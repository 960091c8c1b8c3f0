import type { JsonObject, JsonValue, McpAppDocument } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { APP_MIME_TYPE } from './app-extension.ts';

/** Longest HTML of an app, in characters; the largest example of the specification has 1.5 million. */
const LONGEST = 10_000_000;
const MOST_SOURCES = 50;
/** An origin, or all subdomains of one. Nothing else can be part of a policy. */
const SOURCE = /^(https?|wss?):\/\/(\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(:\d{1,5})?\/?$/i;
const PERMISSIONS = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const;

/**
 * Reads the HTML of an app and what it declares about itself from the result of `resources/read`. Declarations in the
 * list of resources are not used: the content states its own.
 *
 * @throws ToolyardError `bad_response` if the result is not the HTML of an app
 */
export function readApp(serverId: string, uri: string, raw: unknown): McpAppDocument {
  const contents = isJsonObject(raw) && Array.isArray(raw['contents']) ? raw['contents'] : [];
  const content = contents.filter((each) => isJsonObject(each)).find(({ mimeType }) => isAppType(mimeType));
  if (content === undefined) throw createUnusableError(serverId, uri, `no content of type ${APP_MIME_TYPE}`);
  const html = readHtml(content);
  if (html === undefined) throw createUnusableError(serverId, uri, 'content without text');
  if (html.length > LONGEST) throw createUnusableError(serverId, uri, `HTML of more than ${LONGEST} characters`);
  const ui = readUi(content['_meta']) ?? {};
  const csp = isJsonObject(ui['csp']) ? ui['csp'] : {};
  const wanted = isJsonObject(ui['permissions']) ? ui['permissions'] : {};
  return {
    uri,
    html,
    connect: sourcesIn(csp['connectDomains']),
    resources: sourcesIn(csp['resourceDomains']),
    frames: sourcesIn(csp['frameDomains']),
    baseUris: sourcesIn(csp['baseUriDomains']),
    permissions: Object.entries(PERMISSIONS).flatMap(([key, name]) => (isJsonObject(wanted[key]) ? [name] : [])),
    ...(typeof ui['prefersBorder'] === 'boolean' ? { prefersBorder: ui['prefersBorder'] } : {}),
  };
}

/** Parameters besides the profile and their spacing do not matter. */
function isAppType(mimeType: JsonValue | undefined): boolean {
  if (typeof mimeType !== 'string') return false;
  const [type, ...parameters] = mimeType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return type === 'text/html' && parameters.includes('profile=mcp-app');
}

function readHtml({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  if (typeof blob !== 'string' || blob.length > LONGEST * 2) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(blob), (each) => each.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function readUi(meta: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(meta) && isJsonObject(meta['ui']) ? meta['ui'] : undefined;
}

/** Invalid entries are dropped: an app without them loads less, never more. */
function sourcesIn(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  const valid = value.filter((each): each is string => typeof each === 'string' && SOURCE.test(each));
  return [...new Set(valid.map((each) => each.replace(/\/$/, '')))].slice(0, MOST_SOURCES);
}

function createUnusableError(serverId: string, uri: string, why: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: `The server "${serverId}" sent ${why} for the app "${uri}".`,
  });
}
