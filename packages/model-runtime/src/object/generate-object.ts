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

type Method = GeneratedObject['by'];

/** Result of one method: the value if there was one, and what is wrong with it. */
type Outcome = {
  value: JsonValue | undefined;
  problem: string | null;
  usage: Usage | undefined;
  refused: boolean;
  /** The output limit was reached before any text or call. */
  isSpent?: boolean;
};

/**
 * Generates an object that matches a schema with any chat model: first by the native response format, then, if that is
 * rejected or ignored, as the arguments of a tool call, finally by a prompt that includes the previous error.
 *  Throws ToolyardError: the error of the server, or `bad_response` if no method gave a matching object.
 */
export async function generateObject(
  runtime: Pick<ModelRuntime, 'chat' | 'provider' | 'label'>,
  request: ObjectRequest,
  options: CallOptions = {},
): Promise<GeneratedObject> {
  let usage: Usage | undefined;
  let problem = 'there was no JSON value';
  let parameters = request.parameters ?? {};
  for (const by of ['native', 'tool', 'text'] as const satisfies readonly Method[]) {
    const outcome = await ask(runtime, chatRequest(by, { ...request, parameters }, problem), by, request, options);
    if (outcome.usage !== undefined) usage = addUsage(usage ?? {}, outcome.usage);
    if (outcome.value !== undefined && outcome.problem === null) {
      // A server that rejects the response format answers in plain text, which may still be a matching object.
      const method = by === 'native' && outcome.refused ? 'text' : by;
      return { object: outcome.value, by: method, ...defined({ usage }) };
    }
    if (outcome.problem !== null) problem = outcome.problem;
    if (outcome.isSpent === true && request.maxReasoningTokens !== undefined) {
      parameters = { ...parameters, maxOutputTokens: request.maxReasoningTokens };
    }
  }
  throw new ToolyardError({
    code: 'bad_response',
    message: `${request.model} at ${runtime.label ?? runtime.provider} returned no ${request.name} that matches the schema: ${problem}.`,
    hint: 'Try again, simplify the schema, or choose a stronger model.',
    retryable: true,
  });
}

function chatRequest(by: Method, request: ObjectRequest, problem: string): ChatRequest {
  const { model, messages, name, schema, parameters = {} } = request;
  const plain: ChatRequest = { model, messages, tools: [], toolChoice: 'auto', toolMode: 'native', parameters };
  switch (by) {
    case 'native':
      return {
        ...plain,
        messages: [...messages, userMessage(promptFor(request))],
        responseFormat: { type: 'json_schema', name, schema },
      };
    case 'tool':
      return {
        ...plain,
        messages: [...messages, userMessage(`Answer by calling the tool "${name}".`)],
        tools: [asTool(request)],
        toolChoice: { name },
      };
    case 'text':
      return {
        ...plain,
        messages: [...messages, userMessage(`${promptFor(request)}\nThe previous answer was invalid: ${problem}.`)],
      };
  }
}

function promptFor({ name, description, schema }: ObjectRequest): string {
  return [
    `Answer with one JSON value and nothing else: ${description ?? name}.`,
    `It must match this JSON Schema:\n${JSON.stringify(schema)}`,
  ].join('\n');
}

function userMessage(text: string): Message {
  return { id: 'generate-object', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text }] };
}

/** Tool arguments must be objects; a schema of another type is wrapped in one. */
function asTool({ name, description, schema }: ObjectRequest): ToolDefinition {
  return {
    tool: { serverId: 'toolyard', name },
    name,
    description: description ?? `Accepts the ${name}.`,
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
  by: Method,
  { schema, fromText }: ObjectRequest,
  options: CallOptions,
): Promise<Outcome> {
  let text = '';
  let called: JsonValue | undefined;
  let usage: Usage | undefined;
  let refused = false;
  let isCut = false;
  for await (const batch of runtime.chat(request, options)) {
    for (const part of batch) {
      if (part.type === 'text') text += part.text;
      else if (part.type === 'tool_call' && part.arguments !== null) {
        called ??= isOfObject(schema) ? part.arguments : part.arguments['value'];
      } else if (part.type === 'usage') usage = part.usage;
      else if (part.type === 'finish') isCut = part.reason === 'length';
      else if (part.type === 'notice') refused ||= part.code === 'setting_left_out';
      else if (part.type === 'error') {
        // A server that rejects one method may support another.
        if (part.error.code === 'bad_request' && by !== 'text') {
          return { value: undefined, problem: null, usage, refused: true };
        }
        throw new ToolyardError(part.error);
      }
    }
  }
  const isSpent = isCut && called === undefined && text.trim() === '';
  const json = called ?? readLooseJson(text);
  const jsonProblem = json === undefined ? 'it was not valid JSON' : checkSchema(schema, json);
  if (jsonProblem === null) return { value: json, problem: null, usage, refused };
  // Weak models write the bare value, whatever form the request asks for: one answer is enough.
  const read = text.trim() === '' ? undefined : fromText?.(text);
  if (read === undefined) return { value: json, problem: jsonProblem, usage, refused, isSpent };
  return { value: read, problem: checkSchema(schema, read), usage, refused };
}
