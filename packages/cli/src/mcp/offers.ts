import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject, JsonValue, McpToolDetail, ResourcePart } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { readAll } from '../chat/terminal.ts';
import { EXIT } from '../exit.ts';
import { shownLine } from '../sanitize.ts';
import { allPages } from '../server/all-pages.ts';
import type { McpContext, McpSource } from './mcp-source.ts';
import { listTemplates } from './mcp-source.ts';
import { printJson, printLine, printNote, printPart, printTable } from '../output.ts';
import { pairs } from './target.ts';
import { createRequestError } from '../errors.ts';

type Json = { json?: boolean };

/** Longer values are truncated, except with --json. */
const MAX_VALUE = 1_000;

/** `toolyard mcp tools <server>` */
export async function listTools({ io, source }: McpContext, id: string, { json }: Json): Promise<void> {
  const tools = await fetchTools(source, id);
  if (json === true) return printJson(io, tools);
  const rows = tools.map(({ tool, tokens, readOnly, enabled, description }) => [
    tool.name,
    `${tokens} tokens`,
    [readOnly ? 'read-only' : '', enabled ? '' : 'off'].filter((word) => word !== '').join(', '),
    shownLine(description ?? '', 100),
  ]);
  printTable(io, rows);
  if (tools.length === 0) printNote(io, `The server "${id}" offers no tools.`);
}

/** `toolyard mcp call <server> <tool> [json]`. Returns 1 if the tool fails. */
export async function callTool(
  { io, source, signal }: McpContext,
  id: string,
  tool: string,
  text: string | undefined,
  { arg, json }: Json & { arg: readonly string[] },
): Promise<number> {
  const base = text === undefined ? {} : objectFrom(text === '-' ? await readAll(io.stdin) : text);
  const named = arg.length === 0 ? {} : await typeArguments(source, id, tool, pairs(arg, '--arg', '='));
  const result = await source.api.post('/api/mcp/servers/{id}/tools/call', {
    params: { id },
    body: { tool, arguments: { ...base, ...named } },
    signal,
  });
  const code = result.isError ? EXIT.failed : EXIT.done;
  if (json === true) printJson(io, result);
  else {
    for (const part of result.content) printPart(io, part);
    if (result.structured !== undefined && !result.content.some(({ type }) => type === 'text'))
      printJson(io, result.structured);
    if (result.error?.hint !== undefined) printNote(io, result.error.hint);
    if (result.outcome === 'unknown') printNote(io, 'Outcome unknown: the call may or may not have been executed.');
  }
  return code;
}

function fetchTools({ api }: McpSource, id: string): Promise<McpToolDetail[]> {
  return allPages((query) => api.get('/api/mcp/servers/{id}/tools', { params: { id }, query }));
}

function objectFrom(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw createRequestError(
    `The arguments are not a JSON object${parsed.ok ? '' : `: ${parsed.problem}`}.`,
    `Pass '{"name": "value"}', --arg name=value for each argument, or "-" to read stdin.`,
  );
}

/** Types the values of `--arg`: the schema of the tool decides whether `3` is a string or a number. */
async function typeArguments(
  source: McpSource,
  id: string,
  tool: string,
  texts: Record<string, string>,
): Promise<JsonObject> {
  const schema = (await fetchTools(source, id)).find((each) => each.tool.name === tool)?.inputSchema['properties'];
  const findType = (name: string): JsonValue | undefined => {
    const property = isJsonObject(schema) ? schema[name] : undefined;
    return isJsonObject(property) ? property['type'] : undefined;
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      if (findType(name) === 'string') return [name, text];
      const parsed = parseJson(text);
      return [name, parsed.ok ? parsed.value : text];
    }),
  );
}

/** `toolyard mcp resources <server>`: resources and resource templates. */
export async function listResources({ io, source }: McpContext, id: string, { json }: Json): Promise<void> {
  const resources = await allPages((query) =>
    source.api.get('/api/mcp/servers/{id}/resources', { params: { id }, query }),
  );
  const templates = await listTemplates(source, id);
  if (json === true) return printJson(io, { resources, templates });
  const rows = [
    ...resources.map(({ uri, name, title, mimeType = '' }) => [uri, mimeType, title ?? name]),
    ...templates.map(({ uriTemplate, name, title, mimeType = '' }) => [uriTemplate, mimeType, title ?? name]),
  ];
  printTable(io, rows);
  if (rows.length === 0) printNote(io, `The server "${id}" offers no resources.`);
}

/** `toolyard mcp read <server> <uri>`: prints text; writes binary data only to a file or a pipe. */
export async function readResource(
  { io, source, signal }: McpContext,
  id: string,
  uri: string,
  { output, json }: Json & { output?: string },
): Promise<void> {
  const { contents } = await source.api.post('/api/mcp/servers/{id}/resources/read', {
    params: { id },
    body: { uri, fresh: true },
    signal,
  });
  if (json === true) return printJson(io, contents);
  if (output !== undefined) {
    writeFileSync(resolve(io.cwd, output), Buffer.concat(contents.map(toBytes)), { flag: 'wx' });
    printNote(io, `Wrote ${output}`);
    return;
  }
  for (const part of contents) {
    if (part.text === undefined && !io.stdout.isTTY) io.stdout.write(toBytes(part));
    else printPart(io, part);
  }
}

function toBytes({ text, source }: ResourcePart): Buffer {
  if (text !== undefined) return Buffer.from(text);
  return source !== undefined && 'data' in source ? Buffer.from(source.data, 'base64') : Buffer.alloc(0);
}

/** `toolyard mcp prompts`. Returns 1 if a server failed to list its prompts. */
export async function listPrompts({ io, source }: McpContext, id: string | undefined, { json }: Json): Promise<number> {
  if (id === undefined) await source.connectAll();
  else await listTemplates(source, id);
  const all = await source.api.get('/api/mcp/prompts');
  const isSelected = ({ serverId }: { serverId: string }): boolean => id === undefined || serverId === id;
  const [items, failures] = [all.items.filter(isSelected), all.failures.filter(isSelected)];
  const code = failures.length > 0 ? EXIT.failed : EXIT.done;
  if (json === true) {
    printJson(io, { items, failures });
    return code;
  }
  const rows = items.map(({ serverId, name, description = '', arguments: args }) => [
    serverId,
    name,
    args.map((each) => (each.required ? each.name : `[${each.name}]`)).join(' '),
    shownLine(description, 100),
  ]);
  printTable(io, rows);
  if (items.length === 0) printNote(io, 'No prompts.');
  for (const { serverId, error } of failures) printNote(io, `${serverId}: ${error.message}`);
  return code;
}

/** `toolyard mcp get <server> <prompt>` */
export async function getPrompt(
  { io, source, signal }: McpContext,
  id: string,
  name: string,
  { arg, json }: Json & { arg: readonly string[] },
): Promise<void> {
  const prompt = await source.api.post('/api/mcp/servers/{id}/prompts/get', {
    params: { id },
    body: { name, arguments: pairs(arg, '--arg', '=') },
    signal,
  });
  if (json === true) return printJson(io, prompt);
  for (const { role, content } of prompt.messages) {
    printLine(io, `${role}:`);
    printPart(io, content);
    printLine(io, '');
  }
}

/** `toolyard mcp complete <server> <prompt or template> <argument> [value]` */
export async function completeArgument(
  { io, source, signal }: McpContext,
  id: string,
  subject: string,
  argument: string,
  value: string,
  { arg, json }: Json & { arg: readonly string[] },
): Promise<void> {
  const target = subject.includes('{') || subject.includes('://') ? { uriTemplate: subject } : { prompt: subject };
  const completion = await source.api.post('/api/mcp/servers/{id}/complete', {
    params: { id },
    body: { target, argument: { name: argument, value }, filledArguments: pairs(arg, '--arg', '=') },
    signal,
  });
  if (json === true) return printJson(io, completion);
  for (const each of completion.values) printLine(io, shownLine(each, MAX_VALUE));
  if (completion.hasMore) {
    const { total, values } = completion;
    printNote(io, `${total === undefined ? 'More' : total - values.length} values are not shown.`);
  }
}
