import type { JsonObject, ToolDefinition } from '@toolyard/protocol';

/** The ways of telling a model, in the prompt, which tools there are and how to call them. */
export type ToolDescriptionFormat = 'hermes';

/**
 * The system text that offers `tools` to a model whose server takes no tool definitions. Same tools, same text: it
 * stands at the front of the prompt, where caches look.
 */
export function describeTools(tools: readonly ToolDefinition[], format: ToolDescriptionFormat): string {
  switch (format) {
    case 'hermes':
      return describeForHermes(tools);
  }
}

function describeForHermes(tools: readonly ToolDefinition[]): string {
  const lines = tools.map((tool) => JSON.stringify({ type: 'function', function: toFunction(tool) }));
  return [
    '# Tools',
    '',
    'These tools are yours to call. Each line between <tools> and </tools> describes one, with a JSON Schema of its arguments:',
    '<tools>',
    ...lines,
    '</tools>',
    '',
    'To call a tool, write a JSON object with its name and arguments between these tags, and nothing after it:',
    '<tool_call>',
    '{"name": "name of the tool", "arguments": {"argument": "value"}}',
    '</tool_call>',
    'For several calls, write several such blocks. Each result comes back between <tool_response> and </tool_response>;',
    'answer from the results. If no tool is needed, answer directly.',
  ].join('\n');
}

/** What models know of a tool: its model-facing name, what it does, its arguments. */
export function toFunction(tool: ToolDefinition): JsonObject {
  const description = tool.description ?? tool.title;
  return {
    name: tool.name,
    ...(description === undefined ? {} : { description }),
    parameters: toParameters(tool.inputSchema),
  };
}

/** Several servers refuse an object schema that does not spell out its properties. */
function toParameters(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema;
  return { ...schema, type: 'object', properties: schema['properties'] ?? {} };
}

/** A call of an earlier turn, as the model would have written it. */
export function renderTextCall(name: string, args: JsonObject): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}

/** A result as the model is told of it. What a tool says cannot close the tag: `</` never appears inside. */
export function renderTextResponse(name: string, content: string): string {
  const json = JSON.stringify({ name, content }).replaceAll('</', '<\\/');
  return `<tool_response>\n${json}\n</tool_response>`;
}
