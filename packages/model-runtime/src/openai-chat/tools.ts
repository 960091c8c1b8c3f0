import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { toolFunction } from '../wire/tool-function.ts';

/** A tool as the `tools` field of a request has it. */
export type OpenAiTool = { type: 'function'; function: JsonObject };

/** Turns the host's tools into those of a request, in the same order. */
export function toOpenAiTools(tools: readonly ToolDefinition[]): OpenAiTool[] {
  return tools.map((tool) => ({ type: 'function', function: toolFunction(tool) }));
}

const cache = new WeakMap<ToolDefinition, string>();

/** What was written for a list, and the tools it had then: with thousands of them putting the pieces together counts. */
const lists = new WeakMap<readonly ToolDefinition[], { tools: readonly ToolDefinition[]; json: string }>();

/** The JSON of {@link toOpenAiTools}, each tool and each list written once however many requests offer it. */
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
