import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import { createConfigError } from '../../values/config-error.ts';

/** Where a credential goes: the part of a request that it becomes. */
type Placed = { in: 'header' | 'query'; name: string; value: string; secrets: string[] };

/** One way to authenticate, made of settings. */
export type Credential = {
  /** The settings that it needs, as JSON Schema properties. */
  settings: Record<string, JsonObject>;
  /** Undefined while a setting is missing. */
  place: (settings: JsonObject) => Placed | undefined;
};

/**
 * The credential of an OpenAPI security scheme; null if Toolyard cannot use it. Names of settings are those of LobeChat:
 * the name of the scheme, with a suffix for what is not an API key.
 */
export function readCredential(name: string, scheme: JsonObject): Credential | null {
  const described = typeof scheme['description'] === 'string' ? scheme['description'] : name;
  switch (scheme['type']) {
    case 'apiKey': {
      const { in: where, name: parameter } = scheme;
      if ((where !== 'header' && where !== 'query') || typeof parameter !== 'string') return null;
      if (where === 'header' && !isHeaderName(parameter)) return null;
      return {
        settings: { [name]: secretText(described) },
        place: (settings) => {
          const value = textIn(settings, name);
          return value === undefined ? undefined : { in: where, name: parameter, value, secrets: [value] };
        },
      };
    }
    case 'http': {
      const kind = typeof scheme['scheme'] === 'string' ? scheme['scheme'].toLowerCase() : '';
      if (kind === 'bearer') return bearer(`${name}_token`, described);
      return kind === 'basic' ? basic(`${name}_username`, `${name}_password`, described) : null;
    }
    case 'oauth2':
    case 'openIdConnect':
      return bearer(`${name}_accessToken`, described);
    default:
      return null;
  }
}

/** The credential that `auth` of a manifest names; null for none. @throws ToolyardError `bad_response` */
export function credentialOfAuth(auth: JsonObject, place: string): Credential | null {
  const kind = auth['type'];
  switch (kind) {
    case undefined:
    case 'none':
      return null;
    case 'bearer':
      return bearer('serviceToken', 'Service token');
    case 'basic':
      return basic('username', 'password', 'Sign-in');
    case 'service_http':
    case 'user_http':
      return auth['authorization_type'] === 'basic'
        ? basic('username', 'password', 'Sign-in')
        : bearer('serviceToken', 'Service token');
    case 'api_key': {
      const found = readCredential('apiKey', { type: 'apiKey', in: auth['in'] ?? 'header', name: auth['name'] ?? '' });
      if (found !== null && auth['name'] !== undefined) return found;
      throw createUnusableError(place, 'an API key needs "in" ("header" or "query") and "name"');
    }
    default:
      throw createUnusableError(place, `unknown type ${JSON.stringify(kind).slice(0, 60)}`);
  }
}

function createUnusableError(place: string, why: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: say`${place}: "auth" cannot be used: ${why}.`,
    hint: say`Supported are none, bearer, basic, api_key, service_http and user_http.`,
  });
}

function bearer(setting: string, title: string): Credential {
  return {
    settings: { [setting]: secretText(title) },
    place: (settings) => {
      const token = textIn(settings, setting);
      return token === undefined
        ? undefined
        : { in: 'header', name: 'authorization', value: `Bearer ${token}`, secrets: [token] };
    },
  };
}

function basic(user: string, password: string, title: string): Credential {
  return {
    settings: {
      [user]: { type: 'string', title: `${title}: user name` },
      [password]: secretText(`${title}: password`),
    },
    place: (settings) => {
      const name = textIn(settings, user);
      const secret = textIn(settings, password);
      if (name === undefined || secret === undefined) return undefined;
      const encoded = Buffer.from(`${name}:${secret}`).toString('base64');
      return { in: 'header', name: 'authorization', value: `Basic ${encoded}`, secrets: [secret, encoded] };
    },
  };
}

function secretText(title: string): JsonObject {
  return { type: 'string', title: title.slice(0, 200), format: 'password' };
}

function textIn(settings: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** The settings that would satisfy these credentials, for an error. */
export function missingSettings(credentials: readonly Credential[], settings: JsonObject): string[] {
  const names = credentials.flatMap((credential) => Object.keys(credential.settings));
  return [...new Set(names)].filter((name) => textIn(settings, name) === undefined);
}

/** @throws ToolyardError `bad_config` */
export function createMissingSettingsError(names: readonly string[]): ToolyardError {
  return createConfigError(
    say`The plugin needs settings that are not set: ${names.join(', ')}.`,
    say`Fill in the settings of the plugin: Settings > Tools.`,
  );
}

/** One schema of all settings; null if there are none. */
export function settingsSchema(own: JsonObject | undefined, credentials: readonly Credential[]): JsonObject | null {
  const added = Object.assign({}, ...credentials.map(({ settings }) => settings)) as Record<string, JsonObject>;
  const properties = { ...(isJsonObject(own?.['properties']) ? own['properties'] : {}), ...added };
  if (Object.keys(properties).length === 0) return null;
  return { ...own, type: 'object', properties };
}
