// From the sources of this checkout.
import { createAgent } from '../../../packages/agent-host/src/node/index.ts';
import type { RunEvent } from '../../../packages/protocol/src/index.ts';
import type { Contender, Setting, StartContender } from '../../harness/contender.ts';
import { versionIn } from '../../harness/version-of.ts';
import { modelName, PROMPT } from '../../mock-model/texts.ts';

/** Toolyard with its own MCP host, gate, journal and events: everything that createAgent() does. */
export const start: StartContender = (setting) => startAgent(setting, () => undefined);

/** `onEvent` gets every event of every run. */
export async function startAgent({ baseUrl, server }: Setting, onEvent: (event: RunEvent) => void): Promise<Contender> {
  const agent = await createAgent({
    model: { baseUrl, id: modelName(1) },
    servers: [{ id: 'everything', transport: { type: 'stdio', ...server } }],
    allow: ['everything/echo'],
  });

  return {
    version: versionIn(new URL('../../../packages/agent-host/package.json', import.meta.url)),
    async run(calls) {
      agent.clear();
      agent.useModel(modelName(calls));
      const run = agent.run(PROMPT);
      let answer = '';
      for await (const event of run) {
        onEvent(event);
        if (event.type === 'message_started') answer = '';
        else if (event.type === 'text_delta') answer += event.text;
      }
      const { text } = await run.result;
      if (text !== answer) throw new Error('the result is not what was streamed');
      return answer;
    },
    close: () => agent.close(),
  };
}
