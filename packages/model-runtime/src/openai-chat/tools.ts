import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { OPENAI_TOOLS } from '../tool-schema/rules.ts';
import { createToolWriter, toolFunction } from '../wire/tool-function.ts';

/** A tool in the `tools` field of a request. */
export type OpenAiTool = { type: 'function'; function: JsonObject };

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Converts tool definitions, in the same order.
 *
 * @example
 * const json = toOpenAiTools(host.tools());
 */
export function toOpenAiTools(tools: readonly ToolDefinition[]): OpenAiTool[] {
  return tools.map((tool) => ({ type: 'function', function: toolFunction(tool, OPENAI_TOOLS, NOTHING) }));
}

/**
 * The serialized JSON of a list and the tools it had then: with thousands of tools even joining the cached fragments is
 * costly.
 */
const lists = new WeakMap<readonly ToolDefinition[], { pieces: readonly string[]; json: string }>();

const write = createToolWriter(OPENAI_TOOLS, (tool) => ({ type: 'function', function: tool }));

/** The JSON of {@link toOpenAiTools}; each tool and each list is serialized once. `without`: what the server rejected. */
export function toolsJson(tools: readonly ToolDefinition[], without: ReadonlySet<string> = NOTHING): string {
  const pieces = tools.map((tool) => write(tool, without));
  const before = lists.get(tools);
  if (before?.pieces.length === pieces.length && pieces.every((piece, at) => piece === before.pieces[at]))
    return before.json;
  const json = `[${pieces.join(',')}]`;
  lists.set(tools, { pieces, json });
  return json;
}
