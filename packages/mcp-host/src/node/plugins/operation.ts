import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import type { Credential } from './credentials.ts';
import { isHeaderName, missingSettings, createMissingSettingsError } from './credentials.ts';
import type { PluginRequest } from './plugin.ts';

/** The argument that holds the body, as LobeChat names it. */
export const BODY_ARGUMENT = '_requestBody';

/** A parameter of an operation, and the argument that fills it. */
export type OperationParameter = {
  argument: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  /** `json`: the value is sent as JSON. */
  style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  explode: boolean;
};

export type Operation = {
  method: string;
  /** The URL before the path, without a slash at the end. */
  server: string;
  /** The template: `/pets/{id}`. */
  path: string;
  parameters: readonly OperationParameter[];
  /** The type of its body; absent without one. */
  body?: 'json' | 'form' | 'text';
  /** Alternatives, each with credentials that are used together; an empty one: no authentication. */
  security: readonly (readonly Credential[])[];
};

/** @throws ToolyardError `invalid_arguments`, or `bad_config` if no alternative of its authentication is set */
export function createRequest(operation: Operation, args: JsonObject, settings: JsonObject): PluginRequest {
  const { method, server, path, parameters, body } = operation;
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of parameters) {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    if (value === undefined || value === null) {
      if (parameter.required) throw createInvalidArgumentsError(`"${parameter.argument}" is missing.`);
    } else if (parameter.in === 'path') filled = filled.replaceAll(`{${parameter.name}}`, toSegment(parameter, value));
    else if (parameter.in === 'query') addToQuery(query, parameter, value);
    else headers[parameter.name.toLowerCase()] = toHeader(parameter, value);
  }
  const url = new URL(server + filled);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const written = createBody(body, args[BODY_ARGUMENT]);
  if (written !== undefined) headers['content-type'] = written.type;
  const secrets: string[] = [];
  for (const credential of chosen(operation.security, settings)) {
    const placed = credential.place(settings);
    if (placed === undefined) continue;
    if (placed.in === 'header') headers[placed.name.toLowerCase()] = placed.value;
    else url.searchParams.set(placed.name, placed.value);
    secrets.push(...placed.secrets);
  }
  return { method, url: url.href, headers, secrets, ...(written === undefined ? {} : { body: written.text }) };
}

/** The first alternative whose settings are all set. @throws ToolyardError `bad_config` */
function chosen(security: Operation['security'], settings: JsonObject): readonly Credential[] {
  if (security.length === 0) return [];
  const isSet = (all: readonly Credential[]): boolean => all.every((each) => each.place(settings) !== undefined);
  const found = security.find((all) => all.length > 0 && isSet(all)) ?? security.find((all) => all.length === 0);
  if (found !== undefined) return found;
  throw createMissingSettingsError(missingSettings(security[0] ?? [], settings));
}

function toSegment({ argument, style, explode }: OperationParameter, value: JsonValue): string {
  const text =
    style === 'json'
      ? encodeURIComponent(JSON.stringify(value))
      : toPairs(value)
          .map(([key, each]) =>
            key === null ? encode(each) : explode ? `${encode(key)}=${encode(each)}` : `${encode(key)},${encode(each)}`,
          )
          .join(',');
  // A dot segment would leave the path of the operation.
  if (text === '' || text === '.' || text === '..')
    throw createInvalidArgumentsError(`"${argument}" cannot be part of a path.`);
  return text;
}

function addToQuery(query: URLSearchParams, { name, style, explode }: OperationParameter, value: JsonValue): void {
  if (style === 'json') return query.append(name, JSON.stringify(value));
  const pairs = toPairs(value);
  if (style === 'deepObject') {
    for (const [key, each] of pairs) query.append(key === null ? name : `${name}[${key}]`, each);
  } else if (explode) {
    for (const [key, each] of pairs) query.append(key ?? name, each);
  } else {
    const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
    query.append(name, pairs.flatMap(([key, each]) => (key === null ? [each] : [key, each])).join(separator));
  }
}

function toHeader({ argument, style }: OperationParameter, value: JsonValue): string {
  const text =
    style === 'json'
      ? JSON.stringify(value)
      : toPairs(value)
          .map(([, each]) => each)
          .join(',');
  if (!/^[\t\x20-\x7e]*$/.test(text))
    throw createInvalidArgumentsError(`"${argument}" contains characters that headers cannot have.`);
  return text;
}

/** The values of a list, the properties of an object, or the value itself. */
function toPairs(value: JsonValue): [key: string | null, value: string][] {
  if (Array.isArray(value)) return value.map((each) => [null, toText(each)]);
  if (isJsonObject(value)) return Object.entries(value).map(([key, each]) => [key, toText(each)]);
  return [[null, toText(value)]];
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function encode(text: string): string {
  return encodeURIComponent(text);
}

function createBody(kind: Operation['body'], value: JsonValue | undefined): { type: string; text: string } | undefined {
  if (kind === undefined || value === undefined) return undefined;
  switch (kind) {
    case 'json':
      return { type: 'application/json', text: JSON.stringify(value) };
    case 'form': {
      const form = new URLSearchParams();
      for (const [key, each] of toPairs(value)) form.append(key ?? '', each);
      return { type: 'application/x-www-form-urlencoded', text: form.toString() };
    }
    case 'text':
      return { type: 'text/plain; charset=utf-8', text: toText(value) };
  }
}

/** Headers that the specification excludes from parameters, or that would change the request itself. */
const RESERVED =
  /^(accept|authorization|connection|content-.*|cookie|expect|host|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade|x-lobe-.*)$/i;

export function isUsableHeader(name: string): boolean {
  return isHeaderName(name) && !RESERVED.test(name);
}

function createInvalidArgumentsError(message: string): ToolyardError {
  return new ToolyardError({ code: 'invalid_arguments', message });
}
