import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { renameKeys } from '../tool-schema/keys.ts';
import { normalizeSchema } from '../tool-schema/normalize.ts';
import type { SchemaRules, ToolRules } from '../tool-schema/rules.ts';
import { remember } from './json-text.ts';

/** The feature of a request whose tool schemas are written by the normal rules of its API format. */
export const FULL_SCHEMAS = 'tool schemas';

/** A tool in a request: name, description, and parameters that the provider accepts. */
export type ToolFunction = { name: string; description?: string; parameters: JsonObject };

type SentTool = { function: ToolFunction; originals: ReadonlyMap<string, string> };

const caches = new WeakMap<SchemaRules, WeakMap<ToolDefinition, SentTool>>();

/** Normalizes the schema of a tool once per definition and rules. */
function sentTool(tool: ToolDefinition, rules: SchemaRules): SentTool {
  const cache = remember(caches, rules, () => new WeakMap<ToolDefinition, SentTool>());
  return remember(cache, tool, () => {
    const { name, description = tool.title ?? '' } = tool;
    const { schema, originals } = normalizeSchema(tool.inputSchema, rules);
    const written = { name: scrub(name), description: scrub(description), parameters: scrubJson(schema) };
    return { function: fitted(written, rules.maxDescription), originals };
  });
}

/** A description over the limit continues in that of the parameters, so that nothing is lost. */
function fitted({ name, description = '', parameters }: ToolFunction, limit: number): ToolFunction {
  if (description === '') return { name, parameters };
  if (description.length <= limit) return { name, description, parameters };
  const head = description.slice(0, limit - 1).toWellFormed();
  const own = typeof parameters['description'] === 'string' ? `\n${parameters['description']}` : '';
  const rest = `…${description.slice(limit - 1).toWellFormed()}${own}`;
  return { name, description: `${head}…`, parameters: { ...parameters, description: rest } };
}

function rulesFor({ normal, plain }: ToolRules, without: ReadonlySet<string>): SchemaRules {
  return without.has(FULL_SCHEMAS) ? plain : normal;
}

/** A tool as an API format sends it. `without`: what the server rejected before. */
export function toolFunction(tool: ToolDefinition, rules: ToolRules, without: ReadonlySet<string>): ToolFunction {
  return sentTool(tool, rulesFor(rules, without)).function;
}

/** Returns the function that writes a tool as JSON, once per definition and rules. */
export function createToolWriter(
  rules: ToolRules,
  write: (tool: ToolFunction) => JsonObject,
): (tool: ToolDefinition, without: ReadonlySet<string>) => string {
  const written = { normal: new WeakMap<ToolDefinition, string>(), plain: new WeakMap<ToolDefinition, string>() };
  return (tool, without) =>
    remember(written[without.has(FULL_SCHEMAS) ? 'plain' : 'normal'], tool, () =>
      JSON.stringify(write(toolFunction(tool, rules, without))),
    );
}

/** The tools whose property keys are sent under other names; null if there are none. */
export type RenamedTools = {
  /** Arguments of a call under the names that are sent. */
  toSent(name: string, args: JsonObject): JsonObject;
  /** Arguments of a call under the tool's own names, which are checked and passed to the tool. */
  toOwn(name: string, args: JsonObject): JsonObject;
};

export function renamedTools(
  tools: readonly ToolDefinition[],
  rules: ToolRules,
  without: ReadonlySet<string>,
): RenamedTools | null {
  const chosen = rulesFor(rules, without);
  const renamed = new Map<string, SentTool>();
  for (const tool of chosen.keys === null ? [] : tools) {
    const sent = sentTool(tool, chosen);
    if (sent.originals.size > 0) renamed.set(tool.name, sent);
  }
  if (renamed.size === 0) return null;
  const rename = (name: string, args: JsonObject, back: boolean): JsonObject => {
    const sent = renamed.get(name);
    return sent === undefined ? args : renameKeys(args, sent.function.parameters, sent.originals, back);
  };
  return { toSent: (name, args) => rename(name, args, false), toOwn: (name, args) => rename(name, args, true) };
}
