import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../../e2e/support/api.ts';
import type { AgentConfiguration, ModelsView, ProviderView, RunEvent } from '../../packages/protocol/src/index.ts';
import { eventually } from '../../testing/src/eventually.ts';
import { createApi } from '../harness/api.ts';
import { say } from '../harness/command.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';
import { startChildServer } from './child-server.ts';
import { cachedFolder } from './stage.ts';

export type ModelRow = { server: string; check: string; passed: boolean; detail: string };

const CONTEXT = 2_048;
const MODEL = 'smollm2-135m';
const LLAMA_PORT = 8080;
const GATEWAY_PORT = 4_000;
const LLAMA_URL = `http://127.0.0.1:${LLAMA_PORT}`;
const GATEWAY_URL = `http://127.0.0.1:${GATEWAY_PORT}`;
const LLAMA: AgentConfiguration = { model: { providerId: `local-${LLAMA_PORT}`, modelId: MODEL } };
const WITHOUT_TOOLS: AgentConfiguration = { ...LLAMA, servers: { date: false, toolyard: false } };
/** Added by its base URL. */
const GATEWAY: AgentConfiguration = { ...WITHOUT_TOOLS, model: { providerId: 'litellm', modelId: 'smollm2' } };

/** Returns the observation. @throws Error with the problem */
type Check = (toolyard: Toolyard) => Promise<string>;

const LLAMA_CHECKS: Readonly<Record<string, Check>> = {
  'detected on its port, with name, context and inputs of `/props`': isDetected,
  // Toolyard reports it once.
  'tools, which its chat template leaves out, are described in the prompt': getsToolsAsText,
  'answers and streams': (toolyard) => answers(toolyard, WITHOUT_TOOLS),
  'cancelled in the middle of an answer; its slot is free again': isCancelled,
  'a message longer than its context': overflows,
  'writes a tool call as text, which is parsed and made': writesCall,
};

const GATEWAY_CHECKS: Readonly<Record<string, Check>> = {
  async 'lists its models'(toolyard) {
    const models = (await toolyard.models()).filter(({ providerId }) => providerId === 'litellm');
    const names = models.map(({ modelId }) => modelId).join(', ');
    expect(names.includes('smollm2'), `it lists ${names || 'nothing'}`);
    return names;
  },
  'answers and streams': (toolyard) => answers(toolyard, GATEWAY),
};

/** llama.cpp with a small model, and LiteLLM in front of it. `missing`: the reason why neither can be installed. */
export async function tryModelServers(missing: string | null): Promise<ModelRow[]> {
  const name = 'llama.cpp (xllamacpp 2026.10.11549)';
  if (missing !== null) {
    return Object.keys(LLAMA_CHECKS).map((check) => ({ server: name, check, passed: false, detail: missing }));
  }
  await using stack = new AsyncDisposableStack();
  const script = join(import.meta.dirname, 'llama_server.py');
  const llama = [...uvRun('llama'), 'python', script, String(LLAMA_PORT), String(CONTEXT), MODEL];
  await startChildServer(stack, llama, { url: `${LLAMA_URL}/health` });
  const dataFolder = stack.use(makeDataFolder());
  const server = stack.use(await startServer({ dataFolder: dataFolder.path, providers: {}, profile: null }));
  const toolyard = openToolyard(server.url);
  const rows = await inTurn(name, LLAMA_CHECKS, toolyard);
  const apiKey = `sk-${randomUUID()}`;
  await startGateway(stack, apiKey);
  const baseUrl = `${GATEWAY_URL}/v1`;
  await call(server.url, 'POST', '/api/providers', { id: 'litellm', label: 'LiteLLM', baseUrl, apiKey });
  return [...rows, ...(await inTurn('LiteLLM 1.106.2', GATEWAY_CHECKS, toolyard))];
}

/** Runs a program with exactly the packages of a list, of which `uv` keeps an environment. */
function uvRun(name: string): string[] {
  const list = join(import.meta.dirname, 'requirements', `${name}.txt`);
  return ['uv', 'run', '--no-project', '--isolated', '--no-build', '--with-requirements', list];
}

async function startGateway(stack: AsyncDisposableStack, key: string): Promise<void> {
  const config = join(cachedFolder('entries'), 'litellm.json');
  const parameters = { model: `openai/${MODEL}`, api_base: `${LLAMA_URL}/v1`, api_key: 'none' };
  // YAML includes JSON.
  const models = [{ model_name: 'smollm2', litellm_params: parameters }];
  writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: key } }), { mode: 0o600 });
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(GATEWAY_PORT), '--telemetry', 'False'];
  await startChildServer(stack, [...uvRun('litellm'), 'litellm', ...args], {
    url: `${GATEWAY_URL}/health/liveliness`,
    // Otherwise it downloads prices.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
}

async function inTurn(server: string, checks: Readonly<Record<string, Check>>, on: Toolyard): Promise<ModelRow[]> {
  const rows: ModelRow[] = [];
  for (const [check, run] of Object.entries(checks)) {
    say(`${server}: ${check} ...`);
    const row = await run(on).then(
      (detail) => ({ server, check, passed: true, detail }),
      (error: unknown) => ({
        server,
        check,
        passed: false,
        detail: error instanceof Error ? error.message : String(error),
      }),
    );
    say(`    ${row.passed ? 'passed' : 'failed'}: ${row.detail}`);
    rows.push(row);
  }
  return rows;
}

type Toolyard = ReturnType<typeof openToolyard>;

/** A running server of Toolyard, over its HTTP API. */
function openToolyard(url: string) {
  const api = createApi(url);
  return {
    models: async () => (await call<ModelsView>(url, 'GET', '/api/models?refresh=true')).models,
    providers: async () => (await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers')).items,
    /** Sends a message in a new conversation and reads the run to its end. `onEvent` may cancel the run. */
    async ask(configuration: AgentConfiguration, text: string, onEvent?: (event: RunEvent) => void) {
      const runId = await api.send(await api.createConversation(configuration), text);
      const events: RunEvent[] = [];
      await api.read(runId, (read) => {
        events.push(...read);
        if (onEvent) read.forEach(onEvent);
      });
      return events;
    },
    cancel: (runId: string) => call(url, 'POST', `/api/runs/${runId}/cancel`),
  };
}

async function isDetected(toolyard: Toolyard): Promise<string> {
  const provider = (await toolyard.providers()).find(({ id }) => id === LLAMA.model?.providerId);
  expect(provider !== undefined, 'it is not among the providers');
  const model = (await toolyard.models()).find(({ providerId }) => providerId === LLAMA.model?.providerId);
  const { modelId = '', contextWindow = 0, inputs = [] } = model ?? {};
  const seen = `${provider?.label ?? ''}: ${modelId}, ${contextWindow} tokens, ${inputs.join(' and ')}`;
  expect(seen === `llama.cpp: ${MODEL}, ${CONTEXT} tokens, text`, seen);
  return seen;
}

async function answers(toolyard: Toolyard, configuration: AgentConfiguration): Promise<string> {
  const parameters = { maxOutputTokens: 40 };
  const events = await toolyard.ask({ ...configuration, parameters }, 'What is the capital of France?');
  const deltas = textDeltas(events);
  const message = events.find((event) => event.type === 'message_finished')?.message;
  const text = message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
  expect(getEnd(events).status === 'done', inWords(events));
  expect(deltas.length > 1 && deltas.join('') === text, `${deltas.length} pieces are not the answer`);
  return `${deltas.length} pieces: "${text.slice(0, 80).replace(/\s+/g, ' ').trim()}"`;
}

async function isCancelled(toolyard: Toolyard): Promise<string> {
  const configuration = { ...WITHOUT_TOOLS, parameters: { maxOutputTokens: 1_500, extra: { ignore_eos: true } } };
  let cancelled = 0;
  const events = await toolyard.ask(configuration, 'Tell a very long story about the sea.', (event) => {
    if (event.type !== 'text_delta' || cancelled > 0) return;
    cancelled = performance.now();
    void toolyard.cancel(event.runId);
  });
  expect(getEnd(events).status === 'cancelled', inWords(events));
  await eventually(async () => !(await isProcessing()), { what: 'a free slot of llama.cpp' });
  return `${textDeltas(events).length} pieces kept, slot free ${Math.round(performance.now() - cancelled)} ms after`;
}

async function isProcessing(): Promise<boolean> {
  const slots = (await (await fetch(`${LLAMA_URL}/slots`)).json()) as { is_processing: boolean }[];
  return slots.some(({ is_processing: processing }) => processing);
}

/** Rejected by llama.cpp: Toolyard compacts the conversation and retries, or reports the error. */
async function overflows(toolyard: Toolyard): Promise<string> {
  const parameters = { maxOutputTokens: 40 };
  const events = await toolyard.ask({ ...WITHOUT_TOOLS, parameters }, 'The tide is low. '.repeat(600));
  const compacted = events.some((event) => event.type === 'compression_finished');
  const { status, error } = getEnd(events);
  expect((compacted && status === 'done') || error?.code === 'context_exceeded', inWords(events));
  return compacted ? `compacted, then ${inWords(events)}` : inWords(events);
}

async function getsToolsAsText(toolyard: Toolyard): Promise<string> {
  const events = await toolyard.ask({ ...LLAMA, parameters: { maxOutputTokens: 20 } }, 'What day is it?');
  const notice = events.find((event) => event.type === 'notice' && event.code === 'tools_as_text');
  expect(notice?.type === 'notice', `no notice; ${inWords(events)}`);
  expect(getEnd(events).status === 'done', inWords(events));
  return notice?.type === 'notice' ? notice.text : '';
}

/** A model with 135 million parameters makes no tool calls, so a grammar enforces one. */
const CALL_GRAMMAR = String.raw`root ::= "<tool_call>\n{\"name\": \"get-date\", \"arguments\": {}}\n</tool_call>"`;

async function writesCall(toolyard: Toolyard): Promise<string> {
  const parameters = { maxOutputTokens: 60, extra: { grammar: CALL_GRAMMAR } };
  // Otherwise the model would repeat the call.
  const limits = { maxTurns: 1, onMaxTurns: 'error' } as const;
  const events = await toolyard.ask({ ...LLAMA, toolMode: 'text', limits, parameters }, 'What day is it?');
  const result = events.find((event) => event.type === 'tool_finished')?.result;
  expect(result !== undefined && !result.isError, `no tool was called; ${inWords(events)}`);
  expect(textDeltas(events).join('').trim() === '', 'the call is shown as text, too');
  return 'get-date; a grammar of llama.cpp forces the model to write it';
}

/** The last event of a run. */
function getEnd(events: readonly RunEvent[]): Extract<RunEvent, { type: 'run_finished' }> {
  const end = events.at(-1);
  if (end?.type !== 'run_finished') throw new Error('the run has no end');
  return end;
}

/** Status and error of the run, for the report. */
function inWords(events: readonly RunEvent[]): string {
  const { status, error } = getEnd(events);
  return error === undefined ? status : `${status}: ${error.code}, ${error.message} ${error.hint ?? ''}`.trim();
}

function textDeltas(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
}

function expect(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(problem);
}
