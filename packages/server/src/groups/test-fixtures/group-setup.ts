import { GROUP_TOOLS } from '@toolyard/agent-host';
import type { ChatRequest } from '@toolyard/model-runtime';
import type { AssistantMessage, CreateGroup, Message, SendMessage } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { createConfigurations } from '../../config/configurations.ts';
import type { RunBench, RunBenchOptions } from '../../runs/test-fixtures/setup.ts';
import { ANNE, answers, openBench, temporaryFolder } from '../../runs/test-fixtures/setup.ts';
import type { ScriptedAnswer, ScriptedModel } from '../../runs/test-fixtures/scripted-model.ts';
import { says, scriptedModel } from '../../runs/test-fixtures/scripted-model.ts';
import { completeDefinition, storedDefinition } from '../group-definition.ts';

/** The answers of each agent, one per request; the last one is repeated. */
export type Scripts = Record<string, readonly ScriptedAnswer[]>;

export type GroupBench = {
  bench: RunBench;
  folder: string;
  /** The requests of an agent. */
  requests: (agentId: string) => readonly ChatRequest[];
  /** Sends a message to the group and returns the id of the run. */
  ask(text: string, more?: Partial<SendMessage>): Promise<string>;
  /** The author and text of each message, without those that only have calls. */
  said(): Promise<string[]>;
  over(runId: string): Promise<void>;
};

const AGENTS = ['ada', 'bob', 'cy', 'lead'] as const;

/** The registered functions are executed; the list comes from the bench. */
const TOOLS = Object.fromEntries(
  GROUP_TOOLS.tools.map(({ name, inputSchema }) => [
    name,
    { serverId: GROUP_TOOLS.id, builtIn: true, inputSchema, call: () => answers('must not be called') },
  ]),
);

function createModels(scripts: Scripts): (modelId: string) => ScriptedModel {
  const models = new Map<string, ScriptedModel>();
  return (modelId) => {
    const script = scripts[modelId] ?? [says(`I am ${modelId}.`)];
    const model = models.get(modelId) ?? scriptedModel((at) => script[Math.min(at, script.length - 1)] ?? says('.'));
    models.set(modelId, model);
    return model;
  };
}

/** A process with a group of Ada, Bob and Cy, and its conversation `c`. */
export async function openGroupBench(
  scripts: Scripts,
  group: Partial<CreateGroup> = {},
  more: Partial<RunBenchOptions> & { folder?: string; existing?: boolean } = {},
): Promise<GroupBench> {
  const { folder = temporaryFolder(), existing = false, ...options } = more;
  const model = createModels(scripts);
  const bench = await openBench(folder, {
    model,
    functions: GROUP_TOOLS,
    tools: TOOLS,
    configurations: (storage) =>
      createConfigurations({ storage, fileDefaults: {}, standardModel: () => Promise.resolve(null) }),
    ...options,
  });
  if (!existing) {
    for (const id of AGENTS) {
      const configuration = { model: { providerId: 'p', modelId: id }, instructions: `You are ${id}.` };
      const title = `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`;
      await bench.storage.agents.create(ANNE, { id, title, configuration, profile: {}, at: 0 });
    }
    const members = ['ada', 'bob', 'cy'].map((agentId) => ({ agentId }));
    const definition = completeDefinition({ members, mode: { kind: 'fixed_order' }, ...group });
    await bench.storage.groups.create(ANNE, {
      id: 'g',
      title: 'Team',
      definition: storedDefinition(definition),
      at: 0,
    });
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', groupId: 'g', at: 0 });
  }
  return {
    bench,
    folder,
    requests: (agentId) => model(agentId).requests,
    async ask(text, rest = {}) {
      const sent = await bench.say('c', text, rest);
      if ('queued' in sent) throw new Error('the message was queued');
      return sent.run.id;
    },
    said: async () => (await bench.branch('c')).flatMap(toLines),
    async over(runId) {
      await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: `the end of ${runId}` });
    },
  };
}

export function listMemberAnswers(messages: readonly Message[]): AssistantMessage[] {
  return messages.filter((message): message is AssistantMessage => message.role === 'assistant' && !!message.member);
}

function toLines(message: Message): string[] {
  if (message.role === 'tool') {
    const { content } = message.parts[0].result;
    return [`${message.name}: ${content.map((item) => ('text' in item ? item.text : item.type)).join('')}`];
  }
  const text = textOf(message);
  if (text === '') return [];
  return [`${message.role === 'assistant' ? (message.agent?.title ?? 'Supervisor') : message.role}: ${text}`];
}
