import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { Credential } from './credentials.ts';
import { readCredential } from './credentials.ts';
import { boundedCopy } from './dereference.ts';
import { unresolvedIn } from './mark-references.ts';
import { fromOpenApi30 } from './openapi-30.ts';
import type { Operation, OperationParameter } from './operation.ts';
import { BODY_ARGUMENT, isUsableHeader, createRequest } from './operation.ts';
import type { PluginTool } from './plugin.ts';
import { MAX_FUNCTIONS } from './read-manifest.ts';
import { requestSchema } from './request-schema.ts';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

export type OpenApiTools = { tools: PluginTool[]; credentials: Credential[]; notes: string[] };

/** True for an OpenAPI 3 document; the error for another version. */
export function openApiVersion(value: JsonObject): 'supported' | 'unsupported' | null {
  if (typeof value['swagger'] === 'string') return 'unsupported';
  // In YAML it may be a number; in a manifest it is the URL of the document.
  const { openapi } = value;
  const version = typeof openapi === 'number' ? String(openapi) : readText(openapi);
  if (!/^\d+(\.\d+)*/.test(version)) return null;
  return /^3(?:\.|$)/.test(version) ? 'supported' : 'unsupported';
}

/**
 * The operations of a dereferenced OpenAPI 3 document as tools. One that Toolyard cannot call is left out with a note.
 * `standard` authenticates operations about which the document says nothing.
 */
export function readOpenApi(document: JsonObject, url: string, standard: Credential | null): OpenApiTools {
  const schemes = objectIn(objectIn(document, 'components'), 'securitySchemes');
  const credentials = new Map<string, Credential | null>(
    Object.entries(schemes).map(([name, scheme]) => [name, isJsonObject(scheme) ? readCredential(name, scheme) : null]),
  );
  const used = new Set<Credential>();
  const tools = new Map<string, PluginTool>();
  const notes: string[] = [];
  for (const [path, item] of Object.entries(objectIn(document, 'paths'))) {
    if (!isJsonObject(item)) continue;
    const unresolved = unresolvedIn(item);
    if (unresolved !== undefined) notes.push(`${path}: left out: ${unresolved}.`);
    for (const method of METHODS) {
      const operation = item[method];
      if (!isJsonObject(operation)) continue;
      const name = createName(operation, method, path, tools);
      const leaveOut = (why: string): void => void notes.push(`${method.toUpperCase()} ${path}: left out: ${why}`);
      if (tools.size >= MAX_FUNCTIONS) leaveOut(`a plugin may have ${MAX_FUNCTIONS} functions.`);
      else {
        const read = readOperation({ document, item, operation, method, path, url, credentials, standard });
        if (typeof read === 'string') leaveOut(read);
        else {
          for (const credential of read.operation.security.flat()) used.add(credential);
          tools.set(name, createTool(name, operation, read));
        }
      }
    }
  }
  return { tools: [...tools.values()], credentials: [...used], notes };
}

type ReadOperation = { operation: Operation; inputSchema: JsonObject };

function createTool(name: string, raw: JsonObject, { operation, inputSchema }: ReadOperation): PluginTool {
  const texts = [readText(raw['summary']), readText(raw['description'])].filter((text) => text.trim() !== '');
  const description = [...new Set(texts)].join('\n').slice(0, 4_000);
  const { method, server, path } = operation;
  return {
    name,
    ...(description === '' ? {} : { description }),
    inputSchema,
    endpoint: `${method} ${server}${path}`,
    readOnly: method === 'GET' || method === 'HEAD',
    request: (args, settings) => createRequest(operation, args, settings),
  };
}

/** Its id, else its method and path, else these with a number: a name is used once. */
function createName(operation: JsonObject, method: string, path: string, used: ReadonlyMap<string, unknown>): string {
  const id = readText(operation['operationId']).trim();
  const plain = `${method}_${path.replaceAll(/[^\w]+/g, '_').replace(/^_|_$/g, '')}`;
  const free = [id, plain].find((name) => name !== '' && !used.has(name.slice(0, 200)));
  if (free !== undefined) return free.slice(0, 200);
  for (let number = 2; ; number += 1) {
    const name = `${plain.slice(0, 190)}_${number}`;
    if (!used.has(name)) return name;
  }
}

type OperationSource = {
  document: JsonObject;
  item: JsonObject;
  operation: JsonObject;
  method: string;
  path: string;
  url: string;
  credentials: ReadonlyMap<string, Credential | null>;
  standard: Credential | null;
};

/** The reason if it cannot be called. */
function readOperation(source: OperationSource): ReadOperation | string {
  const { document, item, operation, method, path, url, credentials, standard } = source;
  const server = readServer(operation['servers'] ?? item['servers'] ?? document['servers'], url);
  if (server === null) return 'its server URL cannot be used.';
  const properties: JsonObject = {};
  const required: string[] = [];
  const parameters: OperationParameter[] = [];
  const unresolved = [item['parameters'], operation['parameters'], [operation['requestBody'] ?? null]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map(unresolvedIn)
    .find((each) => each !== undefined);
  if (unresolved !== undefined) return `${unresolved}.`;
  for (const raw of readParameters(item, operation)) {
    const read = readParameter(raw, (name) => Object.hasOwn(properties, name));
    if (read === null) continue;
    if (typeof read === 'string') return read;
    parameters.push(read.parameter);
    properties[read.parameter.argument] = read.schema;
    if (read.parameter.required) required.push(read.parameter.argument);
  }
  const body = readBody(operation['requestBody']);
  if (typeof body === 'string') return body;
  if (body !== null) {
    properties[BODY_ARGUMENT] = body.schema;
    if (body.required) required.push(BODY_ARGUMENT);
  }
  const declared = operation['security'] ?? document['security'];
  const security = declared === undefined && standard !== null ? [[standard]] : readSecurity(declared, credentials);
  if (security === null) return 'it needs a kind of authentication that Toolyard does not support.';
  const copied = boundedCopy({
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  if (typeof copied === 'string') return copied;
  // Keywords of OpenAPI 3.0 are common in documents of 3.1, where they have no other meaning.
  const inputSchema = requestSchema(fromOpenApi30(copied));
  if (!isJsonObject(inputSchema)) return 'its schema is not an object.';
  return {
    operation: { method: method.toUpperCase(), server, path, parameters, security, ...defined({ body: body?.kind }) },
    inputSchema,
  };
}

/** Parameters of the operation override those of its path. */
function readParameters(item: JsonObject, operation: JsonObject): JsonObject[] {
  const all = [item['parameters'], operation['parameters']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((each) => isJsonObject(each));
  return [...new Map(all.map((each) => [`${readText(each['in'])} ${readText(each['name'])}`, each])).values()];
}

function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Null for one that is never sent; the reason if the operation cannot be called without it. */
function readParameter(
  raw: JsonObject,
  isTaken: (name: string) => boolean,
): { parameter: OperationParameter; schema: JsonObject } | string | null {
  const { name, in: where, description } = raw;
  const required = raw['required'] === true || where === 'path';
  if (typeof name !== 'string') return 'a parameter has no name.';
  const isUsable = where === 'path' || where === 'query' || (where === 'header' && isUsableHeader(name));
  if (!isUsable) return required && where === 'cookie' ? `its parameter "${name}" is a cookie.` : null;
  const [content] = Object.values(objectIn(raw, 'content'));
  const style = content === undefined ? readStyle(raw['style'], where) : 'json';
  if (style === null) return `the style of its parameter "${name}" is not supported.`;
  const explode = typeof raw['explode'] === 'boolean' ? raw['explode'] : style === 'form' || style === 'deepObject';
  const own = isJsonObject(content) ? content['schema'] : raw['schema'];
  const schema = isJsonObject(own) ? { ...own } : {};
  if (typeof description === 'string' && schema['description'] === undefined) schema['description'] = description;
  const argument = isTaken(name) || name === BODY_ARGUMENT ? `${name}_${where}` : name;
  return { parameter: { argument, name, in: where, required, style, explode }, schema };
}

function readStyle(
  style: JsonValue | undefined,
  where: 'path' | 'query' | 'header',
): OperationParameter['style'] | null {
  if (where !== 'query') return style === undefined || style === 'simple' ? 'simple' : null;
  switch (style) {
    case undefined:
    case 'form':
      return 'form';
    case 'spaceDelimited':
    case 'pipeDelimited':
    case 'deepObject':
      return style;
    default:
      return null;
  }
}

/** Null without a body, or without one that could be sent and is needed. */
function readBody(
  raw: JsonValue | undefined,
): { kind: NonNullable<Operation['body']>; schema: JsonObject; required: boolean } | string | null {
  if (!isJsonObject(raw)) return null;
  const required = raw['required'] === true;
  const content = Object.entries(objectIn(raw, 'content'));
  for (const [kind, pattern] of BODY_KINDS) {
    const [, media] = content.find(([type]) => pattern.test(type)) ?? [];
    const unresolved = unresolvedIn(media);
    if (unresolved !== undefined) return `${unresolved}.`;
    if (isJsonObject(media)) return { kind, schema: isJsonObject(media['schema']) ? media['schema'] : {}, required };
  }
  return required ? 'the type of its body is not supported.' : null;
}

const BODY_KINDS = [
  ['json', /^application\/([\w.-]+\+)?json\b/i],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['text', /^text\/plain\b/i],
] as const;

/** Null if no alternative can be used. */
function readSecurity(
  security: JsonValue | undefined,
  known: ReadonlyMap<string, Credential | null>,
): Credential[][] | null {
  const alternatives = Array.isArray(security) ? security.filter((each) => isJsonObject(each)) : [];
  if (alternatives.length === 0) return [];
  const usable = alternatives.flatMap((alternative) => {
    const all = Object.keys(alternative).map((name) => known.get(name) ?? null);
    return all.every((each) => each !== null) ? [all] : [];
  });
  return usable.length === 0 ? null : usable;
}

/** The first server with a web URL, without a slash at the end; null without one. */
function readServer(servers: JsonValue | undefined, url: string): string | null {
  const listed = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: '/' }];
  return listed.map((server) => readAddress(server, url)).find((each) => each !== null) ?? null;
}

function readAddress(server: JsonValue, url: string): string | null {
  if (!isJsonObject(server) || typeof server['url'] !== 'string') return null;
  const variables = objectIn(server, 'variables');
  const filled = server['url'].replaceAll(/\{([^}]+)\}/g, (whole, name: string) => {
    const { default: value, enum: values } = objectIn(variables, name);
    const [first] = Array.isArray(values) ? values : [];
    const chosen = value ?? first;
    return typeof chosen === 'string' || typeof chosen === 'number' ? String(chosen) : whole;
  });
  if (filled.includes('{') || !URL.canParse(filled, url)) return null;
  const read = new URL(filled, url);
  if (!/^https?:$/.test(read.protocol) || read.username !== '' || read.password !== '') return null;
  return `${read.origin}${read.pathname.replace(/\/+$/, '')}`;
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isJsonObject(value) ? value : {};
}
