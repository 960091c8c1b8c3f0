import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { toolFunction } from '../wire/tool-function.ts';

/** A tool as the `tools` field of a request has it. */
export type OpenAiTool = { type: 'function'; function: JsonObject };

/** Turns the host's tools into those of a request, in the same order. */
export function toOpenAiTools(tools: readonly ToolDefinition[]): OpenAiTool[] {
  return tools.map((tool) => ({ type: 'function', function: toolFunction(tool) }));
}

const cache = new WeakMap<ToolDefinition, string>();

/** The JSON of {@link toOpenAiTools}, each tool written once however many requests offer it. */
export function toolsJson(tools: readonly ToolDefinition[]): string {
  const pieces = tools.map((tool) => {
    const known = cache.get(tool);
    if (known !== undefined) return known;
    const json = JSON.stringify(toOpenAiTools([tool])[0]);
    cache.set(tool, json);
    return json;
  });
  return `[${pieces.join(',')}]`;
}
