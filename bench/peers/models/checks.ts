import type { AgentConfiguration, RunEvent } from '../../../packages/protocol/src/index.ts';
import { eventually } from '../../../testing/src/eventually.ts';
import type { Toolyard } from './toolyard.ts';
import { endOf, inWords, textDeltas } from './toolyard.ts';

export const CONTEXT = 2_048;
export const MODEL = 'smollm2-135m';
export const LLAMA_PORT = 8080;
const LLAMA_URL = `http://127.0.0.1:${LLAMA_PORT}`;
export const LLAMA: AgentConfiguration = { model: { providerId: `local-${LLAMA_PORT}`, modelId: MODEL } };
const WITHOUT_TOOLS: AgentConfiguration = { ...LLAMA, servers: { date: false, toolyard: false } };

/** Returns the observation. @throws Error with the problem */
export type Check = { name: string; run(toolyard: Toolyard): Promise<string> };

export const LLAMA_CHECKS: readonly Check[] = [
  { name: 'detected on its port, with name, context and inputs of `/props`', run: isDetected },
  // Toolyard reports it once.
  { name: 'tools, which its chat template leaves out, are described in the prompt', run: getsToolsAsText },
  { name: 'answers and streams', run: (toolyard) => answers(toolyard, WITHOUT_TOOLS) },
  { name: 'cancelled in the middle of an answer; its slot is free again', run: isCancelled },
  { name: 'a message longer than its context', run: overflows },
  { name: 'writes a tool call as text, which is parsed and made', run: writesCall },
];

/** Adds the gateway by its base URL. */
export const GATEWAY: AgentConfiguration = { model: { providerId: 'litellm', modelId: 'smollm2' } };

export const GATEWAY_CHECKS: readonly Check[] = [
  {
    name: 'lists its models',
    async run(toolyard) {
      const models = (await toolyard.models()).filter(({ providerId }) => providerId === 'litellm');
      const names = models.map(({ modelId }) => modelId);
      expect(names.includes('smollm2'), `it lists ${names.join(', ') || 'nothing'}`);
      return names.join(', ');
    },
  },
  {
    name: 'answers and streams',
    run: (toolyard) => answers(toolyard, { ...WITHOUT_TOOLS, ...GATEWAY }),
  },
];

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
  expect(endOf(events).status === 'done', inWords(events));
  expect(deltas.length > 1 && deltas.join('') === text, `${deltas.length} pieces are not the answer`);
  return `${deltas.length} pieces: "${text.slice(0, 80).replace(/\s+/g, ' ').trim()}"`;
}

async function isCancelled(toolyard: Toolyard): Promise<string> {
  const configuration = { ...WITHOUT_TOOLS, parameters: { maxOutputTokens: 1_500, extra: { ignore_eos: true } } };
  let cancelled = 0;
  const onEvent = (event: RunEvent): void => {
    if (event.type !== 'text_delta' || cancelled > 0) return;
    cancelled = performance.now();
    void toolyard.cancel(event.runId);
  };
  const events = await toolyard.ask(configuration, 'Tell a very long story about the sea.', onEvent);
  expect(endOf(events).status === 'cancelled', inWords(events));
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
  const { status, error } = endOf(events);
  expect((compacted && status === 'done') || error?.code === 'context_exceeded', inWords(events));
  return compacted ? `compacted, then ${inWords(events)}` : inWords(events);
}

async function getsToolsAsText(toolyard: Toolyard): Promise<string> {
  const parameters = { maxOutputTokens: 20 };
  const events = await toolyard.ask({ ...LLAMA, parameters }, 'What day is it?');
  const notice = events.find((event) => event.type === 'notice' && event.code === 'tools_as_text');
  expect(notice?.type === 'notice', `no notice; ${inWords(events)}`);
  expect(endOf(events).status === 'done', inWords(events));
  return notice?.type === 'notice' ? notice.text : '';
}

/** A model with 135 million parameters makes no tool calls, so a grammar enforces one. */
const CALL_GRAMMAR = String.raw`root ::= "<tool_call>\n{\"name\": \"get-date\", \"arguments\": {}}\n</tool_call>"`;

async function writesCall(toolyard: Toolyard): Promise<string> {
  const events = await toolyard.ask(
    {
      ...LLAMA,
      toolMode: 'text',
      // Otherwise the model would repeat the call.
      limits: { maxTurns: 1, onMaxTurns: 'error' },
      parameters: { maxOutputTokens: 60, extra: { grammar: CALL_GRAMMAR } },
    },
    'What day is it?',
  );
  const result = events.find((event) => event.type === 'tool_finished')?.result;
  expect(result !== undefined && !result.isError, `no tool was called; ${inWords(events)}`);
  expect(textDeltas(events).join('').trim() === '', 'the call is shown as text, too');
  return 'get-date; a grammar of llama.cpp forces the model to write it';
}

function expect(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(problem);
}
