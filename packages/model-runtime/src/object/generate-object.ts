import {
  addUsage,
  defined,
  ToolyardError,
  type JsonObject,
  type JsonValue,
  type Message,
  type ToolDefinition,
  type Usage,
} from '@toolyard/protocol';
import type { CallOptions, ChatRequest, GeneratedObject, ModelRuntime, ObjectRequest } from '../types.ts';
import { checkSchema } from './check-schema.ts';
import { readLooseJson } from './repair-json.ts';

type Way = GeneratedObject['by'];

/** What one way of asking brought: the value where there was one, and what is wrong with it. */
type Outcome = { value: JsonValue | undefined; problem: string | null; usage: Usage | undefined; refused: boolean };

/**
 * An object that fits a schema, from any model that can chat: asked for as the answer's format, where that is refused
 * or not kept to as the arguments of a call, and at last in words, with what was wrong told to the model.
 *
 * Throws ToolyardError: what the server did wrong, or `bad_response` where no way brought one that fits.
 */
export async function generateObject(
  runtime: Pick<ModelRuntime, 'chat' | 'provider'>,
  request: ObjectRequest,
  options: CallOptions = {},
): Promise<GeneratedObject> {
  let usage: Usage | undefined;
  let problem = 'there was none';
  for (const by of ['native', 'tool', 'text'] as const satisfies readonly Way[]) {
    const outcome = await ask(runtime, chatRequest(by, request, problem), by, request.schema, options);
    if (outcome.usage !== undefined) usage = addUsage(usage ?? {}, outcome.usage);
    if (outcome.value !== undefined && outcome.problem === null) {
      // A format that was refused leaves a plain answer, which may be what was asked for all the same.
      const way = by === 'native' && outcome.refused ? 'text' : by;
      return { object: outcome.value, by: way, ...defined({ usage }) };
    }
    if (outcome.problem !== null) problem = outcome.problem;
  }
  throw new ToolyardError({
    code: 'bad_response',
    message: `${request.model} at ${runtime.provider} gave no ${request.name} that fits its schema: ${problem}.`,
    hint: 'Try again, simplify the schema, or choose a stronger model.',
    retryable: true,
  });
}

function chatRequest(by: Way, request: ObjectRequest, problem: string): ChatRequest {
  const { model, messages, name, schema, parameters = {} } = request;
  const plain: ChatRequest = { model, messages, tools: [], toolChoice: 'auto', toolMode: 'native', parameters };
  switch (by) {
    case 'native':
      return {
        ...plain,
        messages: [...messages, told(inWords(request))],
        responseFormat: { type: 'json_schema', name, schema },
      };
    case 'tool':
      return {
        ...plain,
        messages: [...messages, told(`Answer by calling the tool "${name}".`)],
        tools: [asTool(request)],
        toolChoice: { name },
      };
    case 'text':
      return { ...plain, messages: [...messages, told(`${inWords(request)}\nAn answer before failed: ${problem}.`)] };
  }
}

function inWords({ name, description, schema }: ObjectRequest): string {
  return [
    `Answer with one JSON value and nothing else: ${description ?? name}.`,
    `It must fit this JSON Schema:\n${JSON.stringify(schema)}`,
  ].join('\n');
}

function told(text: string): Message {
  return { id: 'generate-object', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text }] };
}

/** Arguments are objects; a schema of anything else is put into one. */
function asTool({ name, description, schema }: ObjectRequest): ToolDefinition {
  return {
    tool: { serverId: 'toolyard', name },
    name,
    description: description ?? `Takes the ${name}.`,
    inputSchema: isOfObject(schema) ? schema : { type: 'object', properties: { value: schema }, required: ['value'] },
    builtIn: true,
  };
}

function isOfObject(schema: JsonObject): boolean {
  return schema['type'] === 'object';
}

async function ask(
  runtime: Pick<ModelRuntime, 'chat'>,
  request: ChatRequest,
  by: Way,
  schema: JsonObject,
  options: CallOptions,
): Promise<Outcome> {
  let text = '';
  let called: JsonValue | undefined;
  let usage: Usage | undefined;
  let refused = false;
  for await (const batch of runtime.chat(request, options)) {
    for (const part of batch) {
      if (part.type === 'text') text += part.text;
      else if (part.type === 'tool_call' && part.arguments !== null) {
        called ??= isOfObject(schema) ? part.arguments : part.arguments['value'];
      } else if (part.type === 'usage') usage = part.usage;
      else if (part.type === 'notice') refused ||= part.code === 'setting_left_out';
      else if (part.type === 'error') {
        // A server that cannot do it this way may do it another.
        if (part.error.code === 'bad_request' && by !== 'text') {
          return { value: undefined, problem: null, usage, refused: true };
        }
        throw new ToolyardError(part.error);
      }
    }
  }
  const value = called ?? readLooseJson(text);
  const problem = value === undefined ? 'it was no JSON' : checkSchema(schema, value);
  return { value, problem, usage, refused };
}
