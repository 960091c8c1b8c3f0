/**
 * The client under test of the official conformance suite: a host as anybody would make one, from the public exports
 * of this package. The suite puts the address of its server last and the scenario into the environment.
 */
import type { QuestionHandlers } from '@toolyard/mcp-host';
import { McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { isJsonObject, parseJson, systemClock, type JsonObject, type JsonValue } from '@toolyard/protocol';

const url = process.argv.at(-1) ?? '';
/** The tool whose schema a scenario wants to see again, as this client understood it. */
const FOCAL_TOOL = 'json_schema_2020_12_tool';

const handlers: QuestionHandlers = {
  // A person who accepts what is filled in already.
  form: async ({ requestedSchema }) => ({ action: 'accept', content: firstChoices(requestedSchema.properties) }),
  sampling: async () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'none' }),
  roots: () => [{ uri: 'file:///tmp', name: 'tmp' }],
};

const host = new McpHost({
  servers: [{ id: 'peer', transport: { type: 'http', url } }],
  createTransport: createNodeTransports({ fetch }),
  clock: systemClock,
  clientInfo: { name: 'toolyard', version: '0.1.0' },
  handlers,
  log: (_, { level, text }) => process.stderr.write(`${level}: ${text}\n`),
});

try {
  await host.connect('peer');
  await work();
} finally {
  await host.close();
}

async function work(): Promise<void> {
  const asked = plannedCalls();
  for (const { name, args } of asked ??
    host.tools().map((tool) => ({ name: tool.tool.name, args: sample(tool.inputSchema) }))) {
    const result = await host.callTool({ serverId: 'peer', name }, args, { timeoutMs: 20_000 });
    process.stderr.write(`${name}: ${JSON.stringify(result)}\n`);
  }
  const { prompts } = await host.getAllPrompts();
  for (const prompt of prompts) await host.getPrompt('peer', prompt.name).catch(() => undefined);
  for (const { uri } of host.resources.resources('peer')) await host.resources.read('peer', uri).catch(() => undefined);
}

/** Scenarios about headers say which calls they want to see. */
function plannedCalls(): { name: string; args: JsonObject }[] | undefined {
  const context = parseJson(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const calls = context.ok && isJsonObject(context.value) ? context.value['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return undefined;
  return calls.flatMap((call) => {
    const name = isJsonObject(call) ? call['name'] : undefined;
    const args = isJsonObject(call) ? call['arguments'] : undefined;
    return typeof name === 'string' ? [{ name, args: isJsonObject(args) ? args : {} }] : [];
  });
}

function sample(schema: JsonObject): JsonObject {
  const properties = schema['properties'];
  return isJsonObject(properties) ? firstChoices(properties) : {};
}

/** A value of the right kind for each field that has no default of its own. */
function firstChoices(properties: object): JsonObject {
  return Object.fromEntries(
    Object.entries(properties as JsonObject).flatMap(([name, field]) =>
      isJsonObject(field) && field['default'] === undefined ? [[name, choice(field)]] : [],
    ),
  );
}

function choice(field: JsonObject): JsonValue {
  const [first] = Array.isArray(field['enum']) ? field['enum'] : [];
  if (first !== undefined) return first;
  switch (field['type']) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'object':
      return host.tools().find(({ tool }) => tool.name === FOCAL_TOOL)?.inputSchema ?? {};
    case 'array':
      return [];
    default:
      return 'test';
  }
}
