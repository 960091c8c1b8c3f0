import type { Agent, AgentRun } from '@toolyard/agent-host';
import { formatToolReference } from '@toolyard/protocol';
import { providerNotFound } from '../choose-model.ts';
import { explain } from '../explain.ts';
import type { ChatRun, ChatBackend } from './chat-backend.ts';
import { toolLine } from './print-servers.ts';
import { plainLine } from '../sanitize.ts';

/** The loop of this process as whom a chat talks with. */
export function createAgentBackend(agent: Agent): ChatBackend {
  return {
    ask: (question) => answering(agent.run(question)),
    continue: () => answering(agent.continue()),
    history: async () => agent.messages,
    clear: () => agent.clear(),
    tools: async () => [
      ...agent.tools.map((tool) =>
        toolLine({
          reference: formatToolReference(tool.tool),
          asksFirst: !(tool.builtIn && tool.annotations?.readOnly),
          about: tool.description ?? tool.title ?? '',
        }),
      ),
      ...agent.servers
        .filter((server) => server.state !== 'ready')
        .map((server) => `${server.id}: ${plainLine(server.error?.message ?? server.state)}`),
    ],
    models: async () => (await agent.models()).map(({ id }) => ({ name: id, current: id === agent.model })),
    async useModel(name) {
      const offered = await agent.models();
      if (!offered.some(({ id }) => id === name)) throw providerNotFound(name, offered, `at ${agent.provider}`);
      agent.useModel(name);
      return name;
    },
    explain: (error) => explain(error, agent),
  };
}

function answering(run: AgentRun): ChatRun {
  const late: string[] = [];
  return {
    [Symbol.asyncIterator]: () => run[Symbol.asyncIterator](),
    result: run.result,
    cancel: () => run.cancel(),
    steer(text) {
      if (!run.steer(text)) late.push(text);
    },
    undelivered: async () => [
      ...run.undelivered.map((parts) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')),
      ...late,
    ],
  };
}
