import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { toolFunction } from '../wire/tool-function.ts';

/** A tool in the `tools` field of a request. */
export type OpenAiTool = { type: 'function'; function: JsonObject };

/** Converts tool definitions, in the same order. */
export function toOpenAiTools(tools: readonly ToolDefinition[]): OpenAiTool[] {
  return tools.map((tool) => ({ type: 'function', function: toolFunction(tool) }));
}

const cache = new WeakMap<ToolDefinition, string>();

/**
 * The serialized JSON of a list and the tools it had then: with thousands of tools even joining the cached fragments is
 * costly.
 */
const lists = new WeakMap<readonly ToolDefinition[], { tools: readonly ToolDefinition[]; json: string }>();

/** The JSON of {@link toOpenAiTools}; each tool and each list is serialized once. */
export function toolsJson(tools: readonly ToolDefinition[]): string {
  const before = lists.get(tools);
  if (before?.tools.length === tools.length && tools.every((tool, at) => tool === before.tools[at])) return before.json;
  const json = `[${tools.map(toolJson).join(',')}]`;
  lists.set(tools, { tools: [...tools], json });
  return json;
}

function toolJson(tool: ToolDefinition): string {
  const known = cache.get(tool);
  if (known !== undefined) return known;
  const json = JSON.stringify(toOpenAiTools([tool])[0]);
  cache.set(tool, json);
  return json;
}
