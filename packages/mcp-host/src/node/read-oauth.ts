import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject, JsonValue, ToolyardError } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { OAuthGrant, OAuthSettings, SecretText } from '../oauth/oauth-settings.ts';
import { createConfigError } from '../values/config-error.ts';

/** Substitutes variables. @throws ToolyardError */
type Fill = (text: string) => string;

const TEXTS = [
  'clientId',
  'clientSecret',
  'privateKey',
  'signingAlgorithm',
  'scope',
  'issuer',
  'clientMetadataUrl',
] as const;

/** The names of the same settings in other programs. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  CLIENT_ID: 'clientId',
  CLIENT_SECRET: 'clientSecret',
  authorizationServer: 'issuer',
};

/**
 * Reads the sign-in settings of an `mcp.json` entry: `oauth`, or `auth` as in Cursor. Undefined if there are none.
 *
 * @throws ToolyardError `bad_config` beginning with `where`
 */
export function readOAuth(
  entry: JsonObject,
  { fill, folder, where }: { fill: Fill; folder: string; where: string },
): OAuthSettings | undefined {
  const key = entry['oauth'] === undefined ? 'auth' : 'oauth';
  const oauth = entry[key];
  if (oauth === undefined || oauth === null || typeof oauth === 'boolean') return undefined;
  const at = `${where}: "${key}"`;
  if (!isJsonObject(oauth)) throw createBadConfigError(`${at} must be an object.`);
  const renamed: JsonObject = Object.fromEntries(
    Object.entries(oauth).map(([name, value]) => [OTHER_NAMES[name] ?? name, value]),
  );
  const texts = Object.fromEntries(
    TEXTS.flatMap((name) => {
      const text = readText(renamed, name, at, fill);
      return text === undefined ? [] : [[name, text]];
    }),
  ) as Pick<OAuthSettings, (typeof TEXTS)[number]>;
  const { scopes, resource, assumePkce } = renamed;
  const scope = texts.scope ?? readScope(scopes, at);
  if (resource !== undefined && resource !== false && typeof resource !== 'string') {
    throw createBadConfigError(`${at}: "resource" must be a string or false.`);
  }
  const grant = readGrant(renamed, { fill, folder, where: at });
  return {
    ...texts,
    ...defined({ scope }),
    ...(resource === undefined ? {} : { resource: resource === false ? false : fill(resource) }),
    ...(assumePkce === true ? { assumePkce } : {}),
    ...defined({ grant }),
  };
}

function readGrant(
  renamed: JsonObject,
  { fill, folder, where }: { fill: Fill; folder: string; where: string },
): OAuthGrant | undefined {
  const { grant } = renamed;
  if (grant === undefined || grant === 'authorization_code') return undefined;
  const fields: JsonObject = isJsonObject(grant) ? grant : { type: grant };
  const at = `${where}: "grant"`;
  const needed = (name: string): string => {
    const text = readText(fields, name, at, fill);
    if (text === undefined) throw createBadConfigError(`${at} has no "${name}".`);
    return text;
  };
  const secret = (name: string): SecretText => {
    const file = readText(fields, `${name}File`, at, fill);
    return file === undefined ? needed(name) : fileText(resolve(folder, file), `${name}File`, at);
  };
  switch (fields['type']) {
    case 'client_credentials':
      return { type: 'client_credentials' };
    case 'jwt_bearer':
      return { type: 'jwt_bearer', assertion: secret('assertion') };
    case 'enterprise': {
      const clientSecret = readText(fields, 'clientSecret', at, fill);
      return {
        type: 'enterprise',
        tokenEndpoint: needed('tokenEndpoint'),
        clientId: needed('clientId'),
        ...defined({ clientSecret }),
        idToken: secret('idToken'),
      };
    }
    default:
      throw createBadConfigError(`${at} must be one of client_credentials, jwt_bearer and enterprise.`);
  }
}

/** Read for each token, because the file is rewritten before the assertion expires. */
function fileText(path: string, name: string, where: string): SecretText {
  const read = async (): Promise<string> => {
    try {
      return (await readFile(path, 'utf8')).trim();
    } catch {
      throw createBadConfigError(`${where}: its "${name}" cannot be read.`);
    }
  };
  // Configurations are compared as JSON, which omits functions.
  return Object.assign(read, { toJSON: () => path });
}

function readText(from: JsonObject, name: string, where: string, fill: Fill): string | undefined {
  const value = from[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw createBadConfigError(`${where}: "${name}" must be a string.`);
  return fill(value);
}

function readScope(scopes: JsonValue | undefined, where: string): string | undefined {
  if (scopes === undefined || scopes === null) return undefined;
  if (typeof scopes === 'string') return scopes;
  if (Array.isArray(scopes) && scopes.every((one) => typeof one === 'string')) return scopes.join(' ');
  throw createBadConfigError(`${where}: "scopes" must be a list of strings.`);
}

function createBadConfigError(message: string): ToolyardError {
  return createConfigError(
    message,
    'For example: "oauth": { "clientId": "...", "clientSecret": "${env:NAME}", "scope": "read write" }.',
  );
}
