import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { ListKind, ReadItem } from './list-items.ts';
import type { ListedTool } from './read-tool.ts';
import { readTool } from './read-tool.ts';
import type { ListedPrompt, ListedResource, ListedTemplate, PromptArgument } from '../types.ts';
import { readIcons } from './read-icons.ts';

export const TOOLS: ListKind<ListedTool> = {
  method: 'tools/list',
  key: 'tools',
  word: 'tool',
  capability: 'tools',
  read: readTool,
  getIdentity: ({ name }) => name,
};

export const RESOURCES: ListKind<ListedResource> = {
  method: 'resources/list',
  key: 'resources',
  word: 'resource',
  capability: 'resources',
  read: readResource,
  getIdentity: ({ uri }) => uri,
};

export const TEMPLATES: ListKind<ListedTemplate> = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  word: 'resource template',
  capability: 'resources',
  read: readTemplate,
  getIdentity: ({ uriTemplate }) => uriTemplate,
};

export const PROMPTS: ListKind<ListedPrompt> = {
  method: 'prompts/list',
  key: 'prompts',
  word: 'prompt',
  capability: 'prompts',
  read: readPrompt,
  getIdentity: ({ name }) => name,
};

function readResource(raw: unknown, position: number): ReadItem<ListedResource> {
  const entry = named(raw, position, 'uri', 'resource');
  if ('skipped' in entry) return entry;
  const { key: uri, fields } = entry;
  const item: ListedResource = { uri, name: readText(fields['name']) ?? uri, ...describe(fields) };
  if (typeof fields['size'] === 'number') item.size = fields['size'];
  const annotations = fields['annotations'];
  if (isJsonObject(annotations)) {
    const { audience, priority, lastModified } = annotations;
    if (Array.isArray(audience)) item.audience = audience.filter((who) => who === 'user' || who === 'assistant');
    if (typeof priority === 'number') item.priority = priority;
    if (typeof lastModified === 'string') item.lastModified = lastModified;
  }
  return { item };
}

function readTemplate(raw: unknown, position: number): ReadItem<ListedTemplate> {
  const entry = named(raw, position, 'uriTemplate', 'resource template');
  if ('skipped' in entry) return entry;
  const { key, fields } = entry;
  return { item: { uriTemplate: key, name: readText(fields['name']) ?? key, ...describe(fields) } };
}

function readPrompt(raw: unknown, position: number): ReadItem<ListedPrompt> {
  const entry = named(raw, position, 'name', 'prompt');
  if ('skipped' in entry) return entry;
  const { key, fields } = entry;
  const { mimeType: _none, ...about } = describe(fields);
  const listed = fields['arguments'] ?? [];
  if (!Array.isArray(listed))
    return { skipped: { name: key, reason: 'The arguments of the prompt are not an array.' } };
  const args: PromptArgument[] = [];
  for (const argument of listed) {
    const read = readArgument(argument);
    if (read === null) return { skipped: { name: key, reason: 'An argument of the prompt has no name.' } };
    args.push(read);
  }
  return { item: { name: key, ...about, arguments: args } };
}

function readArgument(raw: JsonValue): PromptArgument | null {
  const name = isJsonObject(raw) ? readText(raw['name']) : undefined;
  if (!isJsonObject(raw) || name === undefined) return null;
  const { mimeType: _none, icons: _icons, ...about } = describe(raw);
  return { name, required: raw['required'] === true, ...about };
}

function named(
  raw: unknown,
  position: number,
  key: string,
  word: string,
): { key: string; fields: JsonObject } | { skipped: { name: string; reason: string } } {
  const unnamed = `#${position + 1}`;
  if (!isJsonObject(raw)) return { skipped: { name: unnamed, reason: 'The entry is not an object.' } };
  const value = readText(raw[key]);
  if (value !== undefined) return { key: value, fields: raw };
  return { skipped: { name: readText(raw['name']) ?? unnamed, reason: `The ${word} has no ${key}.` } };
}

function describe(raw: JsonObject): Pick<ListedResource, 'title' | 'description' | 'mimeType' | 'icons'> {
  const title = readText(raw['title']);
  const description = readText(raw['description']);
  const mimeType = readText(raw['mimeType']);
  const icons = readIcons(raw['icons']);
  return {
    ...defined({ title, description, mimeType, icons }),
  };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
