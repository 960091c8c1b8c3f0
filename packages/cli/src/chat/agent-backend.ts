import type { Agent, AgentRun } from '@toolyard/agent-host';
import { formatToolReference, readsOnlyInside } from '@toolyard/protocol';
import { createModelNotFoundError } from '../choose-model.ts';
import { explain } from '../explain.ts';
import type { ChatRun, ChatBackend } from './chat-backend.ts';
import { toolLine } from './print-servers.ts';
import { plainLine } from '../sanitize.ts';

/** A chat backend that runs the agent in this process. */
export function createAgentBackend(agent: Agent): ChatBackend {
  return {
    ask: (message) => toChatRun(agent.run(message)),
    continue: () => toChatRun(agent.continue()),
    history: async () => agent.messages,
    clear: () => agent.clear(),
    tools: async () => [
      ...agent.tools.map((tool) =>
        toolLine({
          reference: formatToolReference(tool.tool),
          needsApproval: !(tool.builtIn && readsOnlyInside(tool.annotations)),
          description: tool.description ?? tool.title ?? '',
        }),
      ),
      ...agent.servers
        .filter((server) => server.state !== 'ready')
        .map((server) => `${server.id}: ${plainLine(server.error?.message ?? server.state)}`),
    ],
    models: async () => (await agent.models()).map(({ id }) => ({ name: id, current: id === agent.model })),
    async useModel(name) {
      const offered = await agent.models();
      if (!offered.some(({ id }) => id === name)) throw createModelNotFoundError(name, offered, `at ${agent.provider}`);
      agent.useModel(name);
      return name;
    },
    explain: (error) => explain(error, agent),
  };
}

function toChatRun(run: AgentRun): ChatRun {
  const undelivered: string[] = [];
  return {
    [Symbol.asyncIterator]: () => run[Symbol.asyncIterator](),
    result: run.result,
    cancel: () => run.cancel(),
    steer(text) {
      if (!run.steer(text)) undelivered.push(text);
    },
    undelivered: async () => [
      ...run.undelivered.map((parts) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')),
      ...undelivered,
    ],
  };
}
