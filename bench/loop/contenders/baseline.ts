import type { StartContender } from '../../harness/contender.ts';
import type { BareServer } from '../bare-server.ts';
import { connectBareServer } from '../bare-server.ts';
import { modelName, PROMPT } from '../../mock-model/texts.ts';

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Message =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };
type Answer = { content: string; calls: ToolCall[] };
type Event = {
  choices: {
    delta: {
      content?: string | null;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
  }[];
};

/** The baseline: fetch, a loop over lines, JSON.parse and the SDK, without errors, limits or abort. */
export const start: StartContender = async ({ baseUrl, server }) => {
  const mcp = await connectBareServer(server);
  const run = createBareLoop(baseUrl, mcp);
  return {
    version: `node ${process.versions.node}`,
    run: (calls) => run(modelName(calls), () => undefined),
    close: mcp.close,
  };
};

/** Runs until the model answers without a call; `called` is invoked after each call. Resolves with the answer. */
export function createBareLoop(
  baseUrl: string,
  mcp: BareServer,
): (model: string, called: () => void) => Promise<string> {
  const tools = mcp.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));

  return async (model, called) => {
    const messages: Message[] = [
      { role: 'system', content: mcp.instructions },
      { role: 'user', content: PROMPT },
    ];
    for (;;) {
      const { content, calls } = await askBarely(baseUrl, { model, messages, tools });
      if (calls.length === 0) return content;
      messages.push({ role: 'assistant', content: content || null, tool_calls: calls });
      for (const call of calls) {
        const args = JSON.parse(call.function.arguments) as Record<string, unknown>;
        const result = await mcp.call(call.function.name, args);
        messages.push({ role: 'tool', tool_call_id: call.id, content: result });
        called();
      }
    }
  };
}

/** One streamed answer, by fetch, a loop over lines and JSON.parse. */
export async function askBarely(
  baseUrl: string,
  request: { model: string; messages: readonly Message[]; tools?: object[] },
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);

  let content = '';
  const calls: ToolCall[] = [];
  const take = (event: Event): void => {
    const delta = event.choices[0]?.delta;
    if (delta?.content) content += delta.content;
    for (const piece of delta?.tool_calls ?? []) {
      const known = calls[piece.index];
      if (known) known.function.arguments += piece.function.arguments;
      else {
        const { name = '', arguments: text } = piece.function;
        calls[piece.index] = { id: piece.id ?? '', type: 'function', function: { name, arguments: text } };
      }
    }
  };

  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { content, calls };
    rest += decoder.decode(value, { stream: true });
    let from = 0;
    for (let to = rest.indexOf('\n'); to !== -1; from = to + 1, to = rest.indexOf('\n', from)) {
      if (!rest.startsWith('data: ', from)) continue;
      const data = rest.slice(from + 6, to);
      if (data !== '[DONE]') take(JSON.parse(data) as Event);
    }
    rest = rest.slice(from);
  }
}
