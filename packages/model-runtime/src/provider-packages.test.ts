import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue, type Message } from '@toolyard/protocol';
import {
  anthropicReply,
  geminiReply,
  needs,
  reply,
  responsesReply,
  startModelServer,
  type ModelReply,
  type Need,
} from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createDialect as anthropicDialect } from './anthropic-messages/dialect.ts';
import { createDialect as geminiDialect } from './google-gemini/dialect.ts';
import { createDialect as chatDialect } from './openai-chat/dialect.ts';
import { createDialect as responsesDialect } from './openai-responses/dialect.ts';
import { assistant, call, collect, request, result, system, tool, user } from './test-fixtures/requests.ts';
import { runtimeOver, type EventWire } from './test-fixtures/wires.ts';
import type { ChatRequest } from './types.ts';
import type { ApiDialect } from './wire/dialect.ts';

/**
 * Verifies requests and answers with the providers' own packages, if installed: their types check our requests, and
 * their clients must read the scripted responses like ours.
 */
type ProviderPackage = {
  wire: EventWire;
  dialect: ApiDialect;
  module: string;
  /** Name of the request type and the module that exports it. */
  type: { name: string; from: string };
  /** A model for each form of thinking. */
  models: readonly string[];
  /** Reads an answer with the provider's client; returns text, calls and output tokens. */
  read(url: string): Promise<Reading>;
};

type Reading = { text: string; calls: { name: string; arguments: JsonValue }[]; outputTokens: number | undefined };

// A dynamic name, because the packages may not be installed.
const load = (name: string): Promise<Record<string, new (options: object) => unknown>> =>
  import(/* @vite-ignore */ name) as Promise<Record<string, new (options: object) => unknown>>;

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false;
  }
}

function sdk(name: string): Need {
  const missing = isInstalled(name) ? null : `the package "${name}" is not installed: run "npm install"`;
  return { name: 'provider-sdk', missing };
}

async function client<Client>(module: string, name: string, options: object): Promise<Client> {
  const Constructor = (await load(module))[name];
  if (Constructor === undefined) throw new Error(`${module} exports no ${name}`);
  return new Constructor({ apiKey: 'k', maxRetries: 0, ...options }) as Client;
}

type OpenAiClient = {
  chat: { completions: { stream(body: object): { finalChatCompletion(): Promise<JsonObject> } } };
  responses: { stream(body: object): { finalResponse(): Promise<JsonObject> } };
};
type AnthropicClient = { messages: { stream(body: object): { finalMessage(): Promise<JsonObject> } } };
type GeminiChunk = {
  candidates?: { content?: { parts?: { text?: string; thought?: boolean; functionCall?: JsonObject }[] } }[];
  usageMetadata?: { candidatesTokenCount?: number; thoughtsTokenCount?: number };
};
type GeminiClient = { models: { generateContentStream(body: object): Promise<AsyncIterable<GeminiChunk>> } };

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const parsed = (json: unknown): JsonValue => JSON.parse(text(json)) as JsonValue;
const count = (usage: unknown, field: string): number | undefined => {
  const value = isJsonObject(usage) ? usage[field] : undefined;
  return typeof value === 'number' ? value : undefined;
};

const PROVIDER_PACKAGES: readonly ProviderPackage[] = [
  {
    wire: 'openai-chat',
    dialect: chatDialect(),
    module: 'openai',
    type: { name: 'ChatCompletionCreateParamsStreaming', from: 'openai/resources/chat/completions' },
    models: ['gpt-5.2', 'gpt-4.1'],
    async read(url) {
      const { chat } = await client<OpenAiClient>('openai', 'OpenAI', { baseURL: url });
      const messages = [{ role: 'user', content: 'hi' }];
      const final = await chat.completions.stream({ model: 'm', messages }).finalChatCompletion();
      const message = objects(final['choices'])[0]?.['message'];
      const calls = isJsonObject(message) ? objects(message['tool_calls']).map((each) => each['function']) : [];
      return {
        text: isJsonObject(message) ? text(message['content']) : '',
        calls: objects(calls).map((fn) => ({ name: text(fn['name']), arguments: parsed(fn['arguments']) })),
        outputTokens: count(final['usage'], 'completion_tokens'),
      };
    },
  },
  {
    wire: 'openai-responses',
    dialect: responsesDialect(),
    module: 'openai',
    type: { name: 'ResponseCreateParamsStreaming', from: 'openai/resources/responses/responses' },
    models: ['gpt-5.2', 'gpt-4.1', 'o3'],
    async read(url) {
      const { responses } = await client<OpenAiClient>('openai', 'OpenAI', { baseURL: url });
      const final = await responses.stream({ model: 'm', input: 'hi' }).finalResponse();
      const output = objects(final['output']);
      return {
        text: output.flatMap((item) => objects(item['content']).map((part) => text(part['text']))).join(''),
        calls: output
          .filter((item) => item['type'] === 'function_call')
          .map((item) => ({ name: text(item['name']), arguments: parsed(item['arguments']) })),
        outputTokens: count(final['usage'], 'output_tokens'),
      };
    },
  },
  {
    wire: 'anthropic-messages',
    dialect: anthropicDialect(),
    module: '@anthropic-ai/sdk',
    type: { name: 'MessageCreateParamsStreaming', from: '@anthropic-ai/sdk/resources/messages' },
    models: ['claude-opus-4-8', 'claude-opus-4-6', 'claude-sonnet-4-5'],
    async read(url) {
      const baseURL = url.replace(/\/v1$/, '');
      const { messages } = await client<AnthropicClient>('@anthropic-ai/sdk', 'Anthropic', { baseURL });
      const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
      const final = await messages.stream(body).finalMessage();
      const content = objects(final['content']);
      return {
        text: content.map((block) => text(block['text'])).join(''),
        calls: content
          .filter((block) => block['type'] === 'tool_use')
          .map((block) => ({ name: text(block['name']), arguments: block['input'] ?? null })),
        outputTokens: count(final['usage'], 'output_tokens'),
      };
    },
  },
  {
    wire: 'google-gemini',
    dialect: geminiDialect(),
    module: '@google/genai',
    // The package has no type for the request body; the parts have the same type in both.
    type: { name: 'Content', from: '@google/genai' },
    models: ['gemini-3-pro-preview', 'gemini-2.5-flash'],
    async read(url) {
      const httpOptions = { baseUrl: url.replace(/\/v1$/, ''), apiVersion: 'v1beta' };
      const { models } = await client<GeminiClient>('@google/genai', 'GoogleGenAI', { httpOptions });
      const reading: Reading = { text: '', calls: [], outputTokens: undefined };
      for await (const chunk of await models.generateContentStream({ model: 'm', contents: 'hi' })) {
        for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
          if (part.thought !== true) reading.text += part.text ?? '';
          if (part.functionCall !== undefined) {
            reading.calls.push({ name: text(part.functionCall['name']), arguments: part.functionCall['args'] ?? {} });
          }
        }
        const usage = chunk.usageMetadata;
        if (usage !== undefined)
          reading.outputTokens = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
      }
      return reading;
    },
  },
];

const answerText = 'Hello 世界 🙂 "quoted"\nand more.';
const calls = [
  { id: 'call_1', name: 'f', arguments: { x: 'a "b" 🙂', deep: [1, null, { y: true }] } },
  { id: 'call_2', name: 'g', arguments: {} },
];

/** The same answer in the format of each provider: thinking, text and two calls. */
function answerOver(wire: EventWire): ModelReply {
  switch (wire) {
    case 'openai-chat':
      return reply.toolCalls(calls, {
        text: answerText,
        usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
      });
    case 'openai-responses':
      return responsesReply(
        [
          { type: 'reasoning', summary: ['Hm.'], encrypted: 'ZW5j' },
          { type: 'message', text: answerText },
          ...calls.map((each) => ({
            type: 'function_call' as const,
            callId: each.id,
            name: each.name,
            arguments: each.arguments,
          })),
        ],
        { usage: { input_tokens: 3, output_tokens: 7, total_tokens: 10 } },
      );
    case 'anthropic-messages':
      return anthropicReply(
        [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'text', text: answerText },
          ...calls.map((each) => ({ type: 'tool_use' as const, id: each.id, name: each.name, input: each.arguments })),
        ],
        { outputTokens: 7 },
      );
    case 'google-gemini':
      return geminiReply(
        [
          { text: 'Hm.', thought: true },
          { text: answerText },
          ...calls.map((each) => ({ functionCall: { id: each.id, name: each.name, args: each.arguments } })),
        ],
        { usage: { promptTokenCount: 3, candidatesTokenCount: 5, thoughtsTokenCount: 2 } },
      );
  }
}

/** A conversation with every kind of part, for a model whose own thinking is replayed. */
function conversation(wire: EventWire, model: string): Message[] {
  const signature = {
    'openai-chat': 'openai-chat:{"field":"reasoning_content"}',
    'openai-responses': 'openai-responses:{"id":"rs_1","encrypted_content":"ZW5j"}',
    'anthropic-messages': 'anthropic-messages:thinking:c2ln',
    'google-gemini': 'google-gemini:c2ln',
  }[wire];
  const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;
  // Chat Completions has no field for it; servers that require one are not OpenAI's.
  const reasoning = wire === 'openai-chat' ? [] : [{ type: 'reasoning', text: 'Hm.', signature: signature } as const];
  const answer = assistant(...reasoning, 'So.', call('c.1', 'f', { x: 1 }, 'call_1'), call('c.2', 'g'));
  answer.model = model;
  return [
    system('Be kind.'),
    user('look', png, { type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'JVBERi0x' } }),
    answer,
    result('c.1', 'f', { content: [{ type: 'text', text: 'seen' }, png] }),
    result('c.2', 'g', { content: [{ type: 'text', text: 'no' }], isError: true }),
    user('and?'),
  ];
}

function requests({ wire, models }: ProviderPackage): ChatRequest[] {
  const tools = [
    tool('f'),
    tool('g', { inputSchema: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] } }),
  ];
  const schema: JsonObject = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  return models.flatMap((model) => {
    const of = (more: Partial<ChatRequest>) => request(conversation(wire, model), { model, tools, ...more });
    return [
      of({}),
      ...(['none', 'required', { name: 'f' }] as const).map((toolChoice) => of({ toolChoice })),
      ...(['none', 'minimal', 'high', 'max'] as const).map((reasoningEffort) =>
        of({ parameters: { reasoningEffort } }),
      ),
      of({ parameters: { maxOutputTokens: 99, stop: ['END'] } }),
      of({ tools: [], responseFormat: { type: 'json_schema', name: 'n', schema } }),
      of({ tools: [], responseFormat: { type: 'json' } }),
      of({ toolMode: 'text' }),
    ];
  });
}

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('@typescript/native/package.json')));
const TSC_OPTIONS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node --pretty false'.split(
    ' ',
  );

/** A source file for the compiler: values to be checked against a type. */
type TypedValues = { name: string; values: readonly unknown[]; type: ProviderPackage['type'] };

/** Errors of the native compiler by file, in one start: the JavaScript compiler takes six times the CPU time. */
function typeErrors(files: readonly TypedValues[]): Map<string, string[]> {
  const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  // Inside the repository, so that the providers' packages resolve.
  const folder = mkdtempSync(join(cache, 'checked-'));
  try {
    const paths = files.map(({ name, values, type }) => {
      const lines = values.map((value, at) => `export const v${at}: ${type.name} = ${JSON.stringify(value)};`);
      const path = join(folder, `${name}.ts`);
      writeFileSync(path, `import type { ${type.name} } from '${type.from}';\n${lines.join('\n')}\n`);
      return path;
    });
    const { stdout, stderr } = spawnSync(process.execPath, [TSC, ...TSC_OPTIONS, ...paths], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    const fileNames = new Map(
      files.map(({ name }) => [name, errors.filter((line) => line.includes(`/${name}.ts(`))] as const),
    );
    // Errors elsewhere, such as an unresolved package.
    expect(errors.filter((line) => ![...fileNames.values()].some((of) => of.includes(line)))).toEqual([]);
    return fileNames;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The bodies of our requests; for Gemini only the part that its package has a type for. */
function listBodies(provider: ProviderPackage): unknown[] {
  const bodies = requests(provider).map(
    (each) => JSON.parse(provider.dialect.chat(each, new Set()).body) as JsonObject,
  );
  return provider.wire === 'google-gemini' ? bodies.flatMap((body) => objects(body['contents'])) : bodies;
}

const SDKS = PROVIDER_PACKAGES.map(({ module }) => sdk(module));
const installed = PROVIDER_PACKAGES.filter(({ module }) => isInstalled(module));

test("requests match the providers' types", needs(...(installed.length === 0 ? SDKS : [])), () => {
  const errorsByFile = typeErrors(
    installed.flatMap((provider) => [
      { name: provider.wire, values: listBodies(provider), type: provider.type },
      { name: `${provider.wire}-wrong`, values: [{ model: 7, role: 7 }], type: provider.type },
    ]),
  );
  for (const { wire } of installed) {
    expect(errorsByFile.get(wire)).toEqual([]);
    // Proves that the check works: the wrong value is reported.
    expect(errorsByFile.get(`${wire}-wrong`)).not.toEqual([]);
  }
});

describe.each(PROVIDER_PACKAGES)('$module and $wire', (provider) => {
  const { wire, module } = provider;

  test('read the same answer', needs(sdk(module)), async () => {
    await using server = await startModelServer(() => answerOver(wire));
    const parts = await collect(runtimeOver(wire, server.url), request('hi', { tools: [tool('f'), tool('g')] }));
    const expected: Reading = {
      text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      calls: parts.flatMap((part) =>
        part.type === 'tool_call' ? [{ name: part.name, arguments: part.arguments }] : [],
      ),
      outputTokens: parts.flatMap((part) => (part.type === 'usage' ? [part.usage.outputTokens] : []))[0],
    };
    expect(expected).toEqual(await provider.read(server.url));
    expect(expected).toEqual({
      text: answerText,
      calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      outputTokens: 7,
    });
  });
});
