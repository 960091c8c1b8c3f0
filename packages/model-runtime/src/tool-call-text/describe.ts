import { defined, type JsonObject, type ToolDefinition } from '@toolyard/protocol';
import type { Family } from './core/family.ts';
import { getWriter, type ToolCallFamilyName, type ToolCallFormat } from './formats.ts';

/** The prompt formats that describe tools and their calls to a model. */
export type ToolDescriptionFormat = Exclude<ToolCallFamilyName, 'plain'>;

/** The call format most models were trained on. */
export const COMMON_FORM = 'hermes' satisfies ToolDescriptionFormat;

/** The fields of a tool that are described to a model. */
export type DescribedTool = Pick<ToolDefinition, 'name' | 'title' | 'description' | 'inputSchema'>;

/**
 * The system text that offers `tools` to a model whose server does not support tool definitions, in the format of the
 * model's family; for `auto` and `plain` in the most common one. Deterministic, because it is at the start of the
 * prompt, which caches compare.
 *
 * @example
 * const format = toolCallFormatForModel('qwen3');
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
    'You can call the following tools. Each line between <tools> and </tools> describes one, with a JSON Schema of its arguments:',
    '<tools>',
    ...tools.map((tool) => JSON.stringify({ type: 'function', function: toFunction(tool) })),
    '</tools>',
    '',
    'To call a tool, write exactly this, with its name and its arguments, and nothing after it:',
    '',
    write([example]),
    '',
    'To call several tools at once:',
    '',
    write([example, another]),
    '',
    'Each result is returned between <tool_response> and </tool_response>; answer from the results. If no tool is needed,',
    'answer directly.',
  ].join('\n');
}

/**
 * The description of a tool for models: model-facing name, purpose, arguments.
 *
 * @example
 * const { name, parameters } = toFunction({ name: 'now', description: 'The time', inputSchema: { type: 'object' } });
 */
export function toFunction(tool: DescribedTool): JsonObject {
  const description = tool.description ?? tool.title;
  return {
    name: tool.name,
    ...defined({ description }),
    parameters: toParameters(tool.inputSchema),
  };
}

/** Several servers reject an object schema without `properties`. */
function toParameters(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema;
  return { ...schema, type: 'object', properties: schema['properties'] ?? {} };
}

/**
 * Calls of an earlier turn, as the model would have written them.
 *
 * @example
 * const text = renderTextCalls([{ name: 'get_date', arguments: {} }], toolCallFormatForModel('qwen3'));
 */
export function renderTextCalls(
  calls: readonly { name: string; arguments: JsonObject }[],
  format: ToolCallFormat,
): string {
  return writerFor(format)(calls);
}

function writerFor(format: ToolCallFormat): Family['write'] {
  return getWriter(format === 'auto' || format === 'plain' ? COMMON_FORM : format);
}

/**
 * A result in the format for models. Its content cannot close the tag: `</` is escaped inside.
 *
 * @example
 * const text = renderTextResponse('get_date', '2026-11-29');
 */
export function renderTextResponse(name: string, content: string): string {
  const json = JSON.stringify({ name, content }).replaceAll('</', '<\\/');
  return `<tool_response>\n${json}\n</tool_response>`;
}
