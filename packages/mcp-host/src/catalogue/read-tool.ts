import type { JsonObject, ToolAnnotations, ToolDefinition } from '@toolyard/protocol';
import { isJsonObject, showName } from '@toolyard/protocol';
import type { ToolUi } from '../apps/app-extension.ts';
import { readToolUi } from '../apps/app-extension.ts';
import { isTooDeep, TOO_DEEP } from '../values/depth.ts';
import { scanHeaderParameters } from '../calls/header-parameters.ts';
import type { ReadItem } from './list-items.ts';
import { readIcons } from './read-icons.ts';
import type { ServerIcon, SkippedItem } from '../types.ts';

/** A usable tool, as its server lists it. */
export type ListedTool = Omit<ToolDefinition, 'tool' | 'builtIn'> & {
  icons?: ServerIcon[];
  /** True if arguments are to be mirrored as HTTP headers. */
  hasHeaderParameters: boolean;
  /** Whether a legacy server executes it as a task. */
  taskSupport?: 'optional' | 'required';
  /** Its app, and who may call it. */
  ui?: ToolUi;
  /** Where calls go, if that is not the server itself: part of what a user approves. */
  endpoint?: string;
};

/** The key of `_meta` for {@link ListedTool.endpoint}. */
export const ENDPOINT_META = 'toolyard.dev/endpoint';

/**
 * Reads one entry of a server's tool list. Invalid optional fields (a title that is a number) are dropped; only what a
 * call requires makes a tool unusable.
 */
export function readTool(raw: unknown, position: number): ReadItem<ListedTool> {
  if (!isJsonObject(raw)) return { skipped: { name: `#${position + 1}`, reason: 'The entry is not an object.' } };
  const name = raw['name'];
  if (typeof name !== 'string' || name === '') {
    return { skipped: { name: `#${position + 1}`, reason: 'The tool has no name.' } };
  }
  // The store of permissions would make two such names equal.
  if (!name.isWellFormed() || name.includes('\0')) {
    return { skipped: { name: showName(name), reason: 'The name contains NUL or half a surrogate pair.' } };
  }
  const skip = (reason: string): { skipped: SkippedItem } => ({ skipped: { name, reason } });

  const schema = raw['inputSchema'];
  if (!isJsonObject(schema)) return skip('The tool has no inputSchema.');
  for (const key of ['inputSchema', 'outputSchema']) {
    if (isTooDeep(raw[key])) return skip(`The ${key} is ${TOO_DEEP}.`);
  }
  // Servers written in Go send null for what is absent.
  const type = schema['type'] ?? 'object';
  if (type !== 'object') return skip('The inputSchema is not of type "object".');
  const inputSchema: JsonObject = schema['type'] === type ? schema : { ...schema, type };
  const headers = scanHeaderParameters(inputSchema);
  if (typeof headers === 'object') return skip(headers.fault);

  const tool: ListedTool = { name, inputSchema, hasHeaderParameters: headers === 'valid' };
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  const title = readText(raw['title']) ?? readText(annotations['title']);
  const description = readText(raw['description']);
  const hints = readHints(annotations);
  if (title !== undefined) tool.title = title;
  if (description !== undefined) tool.description = description;
  if (isJsonObject(raw['outputSchema'])) tool.outputSchema = raw['outputSchema'];
  if (hints !== undefined) tool.annotations = hints;
  const support = isJsonObject(raw['execution']) ? raw['execution']['taskSupport'] : undefined;
  if (support === 'optional' || support === 'required') tool.taskSupport = support;
  const icons = readIcons(raw['icons']);
  if (icons !== undefined) tool.icons = icons;
  const ui = readToolUi(raw['_meta']);
  if (ui !== undefined) tool.ui = ui;
  const endpoint = isJsonObject(raw['_meta']) ? readText(raw['_meta'][ENDPOINT_META]) : undefined;
  if (endpoint !== undefined) tool.endpoint = endpoint;
  return { item: tool };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readHints(raw: JsonObject): ToolAnnotations | undefined {
  const hints: ToolAnnotations = {};
  if (typeof raw['readOnlyHint'] === 'boolean') hints.readOnly = raw['readOnlyHint'];
  if (typeof raw['destructiveHint'] === 'boolean') hints.destructive = raw['destructiveHint'];
  if (typeof raw['idempotentHint'] === 'boolean') hints.idempotent = raw['idempotentHint'];
  if (typeof raw['openWorldHint'] === 'boolean') hints.openWorld = raw['openWorldHint'];
  return Object.keys(hints).length === 0 ? undefined : hints;
}
