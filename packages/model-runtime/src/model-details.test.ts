import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { createFakeClock, startRecordingServer } from '@toolyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createModelRuntime } from './create-runtime.ts';
import { findLocalServers } from './local-servers.ts';
import type { ModelInfo } from './types.ts';

type Answers = Readonly<Record<string, JsonValue | ((body: JsonObject) => JsonValue)>>;

/** A server with these responses; requests are recorded. */
async function program(answers: Answers): Promise<{ port: number; paths: string[]; keys: (string | undefined)[] }> {
  const paths: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = await startRecordingServer((incoming, response, text) => {
    paths.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    keys.push(incoming.headers.authorization);
    const answer = answers[incoming.url ?? ''];
    if (answer === undefined) return void response.writeHead(404).end('<html>');
    const json = typeof answer === 'function' ? answer(JSON.parse(text || '{}') as JsonObject) : answer;
    if (json !== 'never') response.writeHead(200).end(JSON.stringify(json));
  });
  onTestFinished(server.close);
  return { port: server.port, paths, keys };
}

const list = (owner: string, ...ids: string[]): JsonValue => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
});

async function modelsAt(port: number): Promise<ModelInfo[]> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  // A stopped clock: no timeout can fire because the machine is busy.
  const clock = createFakeClock();
  const runtime = createModelRuntime({ wire: 'openai-chat', baseUrl, fetch, clock, apiKey: 'k' });
  const [listed, found] = await Promise.all([runtime.models(), findLocalServers({ fetch, clock, ports: [port] })]);
  // The facts are the same for configured and detected servers.
  expect(found[0]?.models).toEqual(listed);
  return listed;
}

test('llama.cpp reports context window and modalities in /props, with the API key if needed', async () => {
  const server = await program({
    '/v1/models': { object: 'list', data: [{ id: 'q.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131072 } }] },
    '/props': {
      default_generation_settings: { n_ctx: 8192 },
      modalities: { vision: true, audio: true },
      chat_template: '',
    },
  });
  expect(await modelsAt(server.port)).toEqual([
    { id: 'q.gguf', ownedBy: 'llamacpp', contextWindow: 8192, inputs: ['text', 'image', 'audio'] },
  ]);
  expect(server.keys[server.paths.indexOf('GET /props')] ?? 'Bearer k').toBe('Bearer k');
});

test('Ollama reports them per model', async () => {
  const shown: Record<string, JsonObject> = {
    see: {
      capabilities: ['completion', 'vision', 'tools'],
      model_info: { 'general.architecture': 'gemma3', 'gemma3.context_length': 131072 },
    },
    own: {
      capabilities: ['completion'],
      parameters: 'temperature 1\nnum_ctx                        4096\nstop "x"',
      model_info: { 'general.architecture': 'llama', 'llama.context_length': 131072 },
    },
    old: { model_info: { 'general.architecture': 'llama', 'llama.context_length': 2048 } },
  };
  const server = await program({
    '/v1/models': list('library', 'see', 'own', 'old', 'gone'),
    '/api/show': ({ model }) => shown[typeof model === 'string' ? model : ''] ?? { error: 'no such model' },
  });
  expect(await modelsAt(server.port)).toEqual([
    { id: 'see', ownedBy: 'library', contextWindow: 131072, inputs: ['text', 'image'] },
    { id: 'own', ownedBy: 'library', contextWindow: 4096, inputs: ['text'] },
    { id: 'old', ownedBy: 'library', contextWindow: 2048 },
    { id: 'gone', ownedBy: 'library' },
  ]);
});

test('LM Studio reports the loaded models, KoboldCpp its start options', async () => {
  const studio = await program({
    '/v1/models': list('organization_owner', 'a', 'b', 'c'),
    '/api/v0/models': {
      data: [
        { id: 'a', type: 'vlm', max_context_length: 32768, loaded_context_length: 4096 },
        { id: 'b', type: 'llm', max_context_length: 16384 },
        { id: 'c', type: 'embeddings', max_context_length: 2048 },
        'nonsense',
      ],
    },
  });
  expect(await modelsAt(studio.port)).toEqual([
    { id: 'a', ownedBy: 'organization_owner', contextWindow: 4096, inputs: ['text', 'image'] },
    { id: 'b', ownedBy: 'organization_owner', contextWindow: 16384, inputs: ['text'] },
    { id: 'c', ownedBy: 'organization_owner', contextWindow: 2048 },
  ]);
  const kobold = await program({
    '/v1/models': list('koboldcpp', 'koboldcpp/x'),
    '/api/extra/true_max_context_length': { value: 12288 },
    '/api/extra/version': { result: 'KoboldCpp', version: '1.9', vision: false, audio: true },
  });
  expect(await modelsAt(kobold.port)).toEqual([
    { id: 'koboldcpp/x', ownedBy: 'koboldcpp', contextWindow: 12288, inputs: ['text', 'audio'] },
  ]);
});

test('vLLM reports the context window in its list and gets no further requests', async () => {
  const server = await program({
    '/v1/models': { data: [{ id: 'm', owned_by: 'vllm', max_model_len: 40960 }] },
  });
  expect(await modelsAt(server.port)).toEqual([{ id: 'm', ownedBy: 'vllm', contextWindow: 40960 }]);
  expect(server.paths).toEqual(['GET /v1/models', 'GET /v1/models']);
});

test.each<[string, Answers]>([
  ['reports no facts', {}],
  ['reports invalid facts', { '/props': { default_generation_settings: { n_ctx: 'many' }, modalities: ['vision'] } }],
])('a server that %s keeps its list unchanged', async (_, answers) => {
  const server = await program({ '/v1/models': list('llamacpp', 'm'), ...answers });
  expect(await modelsAt(server.port)).toEqual([{ id: 'm', ownedBy: 'llamacpp' }]);
});

test('a server that never answers causes no delay and leaves no timer', async () => {
  const server = await program({ '/v1/models': list('llamacpp', 'm'), '/props': 'never' });
  const clock = createFakeClock();
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const reading = createModelRuntime({ wire: 'openai-chat', baseUrl, fetch, clock }).models();
  let over = false;
  void reading.finally(() => (over = true));
  while (!over) {
    if (server.paths.includes('GET /props')) await clock.advance(500);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await reading).toEqual([{ id: 'm', ownedBy: 'llamacpp' }]);
  expect(clock.pending).toBe(0);
});
