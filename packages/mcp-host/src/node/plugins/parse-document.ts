import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import { parse, YAMLParseError } from 'yaml';
import { isTooDeep, TOO_DEEP } from '../../values/depth.ts';
import { parseJsonFile } from '../json-file.ts';

/** How often one part of a document may be repeated by aliases, directly and indirectly. */
const MAX_ALIASES = 100;

export type PluginDocument = {
  value: JsonObject;
  /** Names a place in it for a message: `https://example.com/manifest.json, line 3`. */
  formatLocation: (path: readonly (string | number)[]) => string;
};

/**
 * Parses a manifest or OpenAPI document: JSON, or YAML with few aliases, because many could expand to gigabytes. `name`
 * stands for the document in errors.
 *
 * @throws ToolyardError `bad_response` with the place
 */
export function parseDocument(text: string, name: string): PluginDocument {
  const document = /^\s*[{[/]/.test(text) ? parseAsJson(text, name) : parseAsYaml(text, name);
  const { value, formatLocation } = document;
  if (!isJsonObject(value)) throw createUnreadableError(`${name} must contain an object.`);
  if (isTooDeep(value)) throw createUnreadableError(`${name} is ${TOO_DEEP}.`);
  return { value, formatLocation };
}

function parseAsJson(text: string, name: string): { value: unknown; formatLocation: PluginDocument['formatLocation'] } {
  try {
    return parseJsonFile(text, name);
  } catch (thrown) {
    throw ToolyardError.isInstance(thrown) ? createUnreadableError(thrown.message) : thrown;
  }
}

function parseAsYaml(text: string, name: string): { value: unknown; formatLocation: PluginDocument['formatLocation'] } {
  try {
    return {
      value: parse(text, { maxAliasCount: MAX_ALIASES, merge: true, uniqueKeys: false, logLevel: 'error' }) as unknown,
      formatLocation: (path) => (path.length === 0 ? name : `${name}, ${path.join('.')}`),
    };
  } catch (thrown) {
    const [at] = thrown instanceof YAMLParseError ? (thrown.linePos ?? []) : [];
    const place = at === undefined ? name : `${name}, line ${at.line}, column ${at.col}`;
    const why = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : '';
    throw createUnreadableError(`${place}: neither JSON nor YAML (${why.slice(0, 200)}).`);
  }
}

export function createUnreadableError(message: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message,
    hint: say`Use the URL of a plugin manifest (JSON) or of an OpenAPI 3 document (JSON or YAML).`,
  });
}
