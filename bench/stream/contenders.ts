import type { ChatRequest, ModelRuntime } from '../../packages/model-runtime/src/index.ts';
import type { Contender, StartContender } from '../harness/contender.ts';
import { versionIn, readVersion } from '../harness/version-of.ts';
import { askBarely } from '../loop/contenders/baseline.ts';
import { modelAt } from '../loop/pi-model.ts';

/** All read the same streamed answer; the baseline does nothing else. */
const CONTENDERS: Readonly<Record<string, (origin: string) => Promise<Contender>>> = {
  baseline: async (origin) => ({ version: `node ${process.versions.node}`, run: () => readBarely(`${origin}/v1`) }),
  'openai-chat': (origin) => overWire('openai-chat', origin),
  'openai-chat, looking for calls in text': (origin) => overWire('openai-chat', origin, true),
  'openai-responses': (origin) => overWire('openai-responses', origin),
  'anthropic-messages': (origin) => overWire('anthropic-messages', origin),
  'google-gemini': (origin) => overWire('google-gemini', origin),
  '/webapi/chat': async (origin) => {
    const { createWebApiRuntime } = await import('../../packages/model-runtime/src/webapi/index.ts');
    return reading(createWebApiRuntime({ provider: 'bench', baseUrl: origin, fetch }), false);
  },
  ai: overAi,
  '@openai/agents': overAgents,
  '@tanstack/ai': overTanstack,
  '@mariozechner/pi-ai': overPi,
};

export const CONTENDER_NAMES: readonly string[] = Object.keys(CONTENDERS);

export const start: StartContender = ({ origin }, name) => {
  const contender = CONTENDERS[name];
  if (!contender) throw new Error(`unknown contender ${name}`);
  return contender(origin);
};

async function readBarely(baseUrl: string): Promise<string> {
  return (await askBarely(baseUrl, { model: 'bench', messages: [{ role: 'user', content: 'hi' }] })).content;
}

async function overWire(
  wire: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'google-gemini',
  origin: string,
  withTools = false,
): Promise<Contender> {
  const { createModelRuntime } = await import('../../packages/model-runtime/src/index.ts');
  const { systemClock } = await import('../../packages/protocol/src/index.ts');
  return reading(createModelRuntime({ wire, baseUrl: origin, fetch, clock: systemClock }), withTools);
}

function reading(runtime: ModelRuntime, withTools: boolean): Contender {
  const tool = { serverId: 'bench', name: 'write' };
  const request: ChatRequest = {
    model: 'bench',
    messages: [{ id: 'm', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    tools: withTools ? [{ tool, name: 'write', inputSchema: { type: 'object' }, builtIn: false }] : [],
    toolChoice: 'auto',
    toolMode: 'native',
    parameters: {},
  };
  return {
    version: versionIn(new URL('../../packages/model-runtime/package.json', import.meta.url)),
    async run() {
      let text = '';
      for await (const batch of runtime.chat(request)) {
        for (const part of batch) {
          if (part.type === 'text') text += part.text;
          else if (part.type === 'error') throw new Error(part.error.message);
        }
      }
      return text;
    },
  };
}

async function overAi(origin: string): Promise<Contender> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { streamText } = await import('ai');
  const provider = createOpenAICompatible({ name: 'bench', baseURL: `${origin}/v1`, includeUsage: true });
  return {
    version: readVersion('ai'),
    async run() {
      const { textStream } = streamText({ model: provider.chatModel('bench'), prompt: 'hi', maxRetries: 0 });
      let text = '';
      for await (const piece of textStream) text += piece;
      return text;
    },
  };
}

async function overAgents(origin: string): Promise<Contender> {
  const { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled } = await import('@openai/agents');
  const { default: OpenAI } = await import('openai');
  setTracingDisabled(true);
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'none', maxRetries: 0 });
  const agent = new Agent({ name: 'bench', model: new OpenAIChatCompletionsModel(client, 'bench') });
  const runner = new Runner({ tracingDisabled: true });
  return {
    version: readVersion('@openai/agents'),
    async run() {
      const result = await runner.run(agent, 'hi', { stream: true });
      let text = '';
      for await (const event of result) {
        if (event.type !== 'raw_model_stream_event') continue;
        if (event.data.type === 'output_text_delta') text += event.data.delta;
      }
      await result.completed;
      return text;
    },
  };
}

async function overTanstack(origin: string): Promise<Contender> {
  const { chat, EventType } = await import('@tanstack/ai');
  const { createOpenaiChatCompletions } = await import('@tanstack/ai-openai');
  const adapter = createOpenaiChatCompletions('gpt-4o', 'none', { baseURL: `${origin}/v1`, maxRetries: 0 });
  return {
    version: readVersion('@tanstack/ai'),
    async run() {
      let text = '';
      for await (const chunk of chat({ adapter, messages: [{ role: 'user', content: 'hi' }] })) {
        if (chunk.type === EventType.TEXT_MESSAGE_CONTENT) text += chunk.delta;
        else if (chunk.type === EventType.RUN_ERROR) throw new Error(chunk.message);
      }
      return text;
    },
  };
}

async function overPi(origin: string): Promise<Contender> {
  const { stream } = await import('@mariozechner/pi-ai');
  return {
    version: readVersion('@mariozechner/pi-ai'),
    async run() {
      const events = stream(
        modelAt(`${origin}/v1`, 'bench'),
        { messages: [{ role: 'user', content: 'hi', timestamp: 0 }] },
        { apiKey: 'none' },
      );
      let text = '';
      for await (const event of events) {
        if (event.type === 'text_delta') text += event.delta;
        else if (event.type === 'error') throw new Error(event.error.errorMessage ?? 'failed');
      }
      return text;
    },
  };
}
