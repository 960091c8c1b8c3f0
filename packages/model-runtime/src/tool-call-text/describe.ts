import type { JsonObject, ToolDefinition } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { Family } from './core/family.ts';
import { writerOf, type ToolCallFamilyName, type ToolCallFormat } from './formats.ts';

/** The ways of telling a model, in the prompt, which tools there are and how to call them. */
export type ToolDescriptionFormat = Exclude<ToolCallFamilyName, 'plain'>;

/** The form of calls most models have seen. */
export const COMMON_FORM = 'hermes' satisfies ToolDescriptionFormat;

/** What a model is told of a tool. */
export type DescribedTool = Pick<ToolDefinition, 'name' | 'title' | 'description' | 'inputSchema'>;

/**
 * The system text that offers `tools` to a model whose server takes no tool definitions, in the form the model's family
 * was taught; for `auto` and `plain` in the one most models have seen. Same tools, same text: it stands at the front of
 * the prompt, where caches look.
 *
 * @example
 * const format = toolCallFormatForModel(model);
 * const system = describeTools(tools, format);
 * const parser = createToolCallTextParser({ format, tools });
 */
export function describeTools(tools: readonly DescribedTool[], format: ToolCallFormat): string {
  const example = { name: 'name_of_the_tool', arguments: { argument: 'value' } };
  const another = { name: 'another_tool', arguments: { count: 2 } };
  const write = writerFor(format);
  return [
    '# Tools',
    '',
    'These tools are yours to call. Each line between <tools> and </tools> describes one, with a JSON Schema of its arguments:',
    '<tools>',
    ...tools.map((tool) => JSON.stringify({ type: 'function', function: toFunction(tool) })),
    '</tools>',
    '',
    'To call a tool, write exactly this, with its name and its arguments, and nothing after it:',
    '',
    write([example]),
    '',
    'To call several at once:',
    '',
    write([example, another]),
    '',
    'Each result comes back between <tool_response> and </tool_response>; answer from the results. If no tool is needed,',
    'answer directly.',
  ].join('\n');
}

/** What models know of a tool: its model-facing name, what it does, its arguments. */
export function toFunction(tool: DescribedTool): JsonObject {
  const description = tool.description ?? tool.title;
  return {
    name: tool.name,
    ...defined({ description }),
    parameters: toParameters(tool.inputSchema),
  };
}

/** Several servers refuse an object schema that does not spell out its properties. */
function toParameters(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema;
  return { ...schema, type: 'object', properties: schema['properties'] ?? {} };
}

/** Calls of an earlier turn, as the model would have written them. */
export function renderTextCalls(
  calls: readonly { name: string; arguments: JsonObject }[],
  format: ToolCallFormat,
): string {
  return writerFor(format)(calls);
}

function writerFor(format: ToolCallFormat): Family['write'] {
  return writerOf(format === 'auto' || format === 'plain' ? COMMON_FORM : format);
}

/** A result as the model is told of it. What a tool says cannot close the tag: `</` never appears inside. */
export function renderTextResponse(name: string, content: string): string {
  const json = JSON.stringify({ name, content }).replaceAll('</', '<\\/');
  return `<tool_response>\n${json}\n</tool_response>`;
}
