import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/**
 * Whether the value of a setting is never returned once it is stored. Manifests rarely say which settings are secret, so
 * every free text is.
 *
 * @example
 * isSecretSetting({ type: 'string' }); // true
 * isSecretSetting({ type: 'boolean' }); // false
 */
export function isSecretSetting(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return true;
  const { type } = schema;
  const isText = type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
  return isText && schema['enum'] === undefined && schema['const'] === undefined;
}

/**
 * The properties of a settings schema.
 *
 * @example
 * const names = Object.keys(settingProperties(plugin.settings));
 */
export function settingProperties(schema: JsonObject | null): JsonObject {
  const properties = schema?.['properties'];
  return isJsonObject(properties) ? properties : {};
}

/**
 * The values that may be shown, also to the plugin's page.
 *
 * @example
 * const schema = { type: 'object', properties: { key: { type: 'string' }, metric: { type: 'boolean' } } };
 * withoutSecretSettings(schema, { key: 'secret', metric: true }); // { metric: true }
 */
export function withoutSecretSettings(schema: JsonObject | null, values: JsonObject): JsonObject {
  const properties = settingProperties(schema);
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(properties, name) && !isSecretSetting(properties[name])),
  );
}

/** Settings of `mcp.json`, where all values are strings, with the types that the schema names. */
export function typedSettings(schema: JsonObject | null, texts: Readonly<Record<string, string>>): JsonObject {
  const properties = settingProperties(schema);
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, typed(text, isJsonObject(property) ? property['type'] : undefined)];
    }),
  );
}

function typed(text: string, type: JsonValue | undefined): JsonValue {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = (type === 'number' || type === 'integer') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}
