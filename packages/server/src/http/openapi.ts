import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, VERSION } from '@toolyard/protocol';
import { problem, schemaNames } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import type { RouteDescription } from './transport/router.ts';
import { getScopes } from './transport/router.ts';

/** OpenAPI 3.1 of all routes. Zod generates the schemas: 3.1 uses plain JSON Schema. */
export function openApiDocument(routes: readonly RouteDescription[], { tokenRequired }: { tokenRequired: boolean }) {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolyard',
      version: VERSION,
      description:
        'A workbench where any language model works with any MCP server. Errors are problem+json (RFC 9457).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the URL of this document.
    servers: [{ url: '/' }],
    ...(tokenRequired ? { security: [{ bearer: [] }] } : {}),
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(route: RouteDescription): JsonObject {
  const { summary, query, body, upload, open } = route;
  const scopes = getScopes(route);
  const parameters = [...pathParameters(route.path), ...(query === undefined ? [] : queryParameters(query))];
  return {
    summary,
    operationId: operationId(route),
    tags: [route.path.split('/').filter((step) => step !== 'api')[1] ?? 'operations'],
    security: open ? [] : [{ bearer: scopes.length === 1 ? [...scopes] : [] }],
    ...(scopes.length > 0 ? { 'x-scopes': [...scopes] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    ...(upload === undefined
      ? {}
      : { requestBody: { required: true, content: Object.fromEntries(upload.map((type) => [type, {}])) } }),
    responses: responses(route),
  };
}

/** Every status and media type with which a handler may answer; the test fixture `askAsDescribed` compares both. */
function responses({ answer, status, mediaType, orMediaType, also }: RouteDescription): JsonObject {
  const answered = mediaType === undefined ? {} : { content: { [mediaType]: {} } };
  const found: JsonObject =
    answer === undefined
      ? { [status ?? (mediaType === undefined ? 204 : 200)]: { description: 'Done', ...answered } }
      : {
          [status ?? 200]: {
            description: 'Done',
            content: {
              ...(mediaType ? { [mediaType]: toSchema(answer) } : json(answer)),
              ...(orMediaType === undefined ? {} : { [orMediaType]: {} }),
            },
          },
        };
  for (const [code, stated] of Object.entries(also ?? {})) {
    const same = answer === undefined || code === '204' ? {} : { content: json(answer) };
    found[code] =
      typeof stated === 'string'
        ? { description: stated, ...same }
        : { description: stated.description, content: { [stated.mediaType]: {} } };
  }
  return {
    ...found,
    default: { description: 'Refused', content: { 'application/problem+json': toSchema(problem) } },
  };
}

/** `GET /api/runs/{id}/events` is `getRunsIdEvents`. */
function operationId({ method, path }: RouteDescription): string {
  const steps = path.split(/[^A-Za-z0-9]+/).filter((step) => step !== '' && step !== 'api');
  return method.toLowerCase() + steps.map((step) => step.charAt(0).toUpperCase() + step.slice(1)).join('');
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject): JsonObject[] {
  const { properties } = plain(z.toJSONSchema(query, { io: 'output', unrepresentable: 'any' }));
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));
}

function json(schema: z.ZodType): JsonObject {
  return { 'application/json': toSchema(schema) };
}

function toSchema(schema: z.ZodType): JsonObject {
  const name = schemaNames.get(schema)?.id;
  if (name === undefined) throw new TypeError('a schema of a route has no name');
  return { schema: { $ref: reference(name) } };
}

function componentSchemas(): JsonObject {
  const { schemas } = z.toJSONSchema(schemaNames, { io: 'output', unrepresentable: 'any', uri: reference });
  const found: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const { $id: _id, $schema: _dialect, ...rest } = plain(schema);
    found[name] = rest;
  }
  // Zod's union refers to itself, which TypeScript rejects as a generated type; every JSON value is one.
  found['JsonValue'] = { description: 'Any JSON value' };
  return found;
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Zod's types are wider than JSON, but its output is JSON. */
function plain(schema: object): JsonObject {
  const value: JsonValue = structuredClone(schema) as JsonValue;
  return isJsonObject(value) ? value : {};
}
