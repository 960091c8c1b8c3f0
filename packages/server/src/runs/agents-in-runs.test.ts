import type { AgentConfiguration, AssistantMessage, Message } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createConfigurations } from '../config/configurations.ts';
import type { RunBench, RunBenchOptions } from './test-fixtures/setup.ts';
import { ANNE, cleanUp, openBench, temporaryFolder } from './test-fixtures/setup.ts';
import { hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const ADA = {
  model: { providerId: 'p', modelId: 'of-ada' },
  instructions: 'You are Ada. Today is {{weekday}}.',
  historyMessages: 2,
  inputTemplate: '<<{{text}}>>',
  examples: [{ question: 'Is it safe?', answer: 'Yes.' }],
  parameters: { temperature: 0.3 },
  limits: { maxTurns: 3 },
} satisfies AgentConfiguration;

async function benchWith(model: RunBenchOptions['model']): Promise<RunBench> {
  const bench = await openBench(temporaryFolder(), {
    model,
    configurations: (storage) =>
      createConfigurations({
        storage,
        fileDefaults: {},
        standardModel: () => Promise.resolve({ providerId: 'p', modelId: 'standard' }),
      }),
  });
  const profile = { avatar: '🧪' };
  await bench.storage.agents.create(ANNE, { id: 'ada', title: 'Ada', configuration: ADA, profile, at: 0 });
  await bench.storage.agents.create(ANNE, {
    id: 'bob',
    title: 'Bob',
    configuration: { instructions: 'I am Bob.' },
    profile: {},
    at: 0,
  });
  return bench;
}

const isAnswer = (message: Message): message is AssistantMessage => message.role === 'assistant';
const listAnswers = async (bench: RunBench) => (await bench.branch('c')).filter(isAnswer);
const sent = (messages: readonly Message[] = []): string[] => messages.map((one) => `${one.role}: ${textOf(one)}`);

describe('a run of an agent', () => {
  test('sends its instructions, examples, template and the last messages to its model, and names it on the answer', async () => {
    const model = scriptedModel([says('one'), says('two')]);
    const bench = await benchWith(model);
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', agentId: 'ada', at: 0 });
    await bench.rest(await bench.ask('c', 'first'));
    await bench.rest(await bench.ask('c', 'second'));
    const [, request] = model.requests;
    expect(request).toMatchObject({ model: 'of-ada', parameters: { temperature: 0.3 } });
    expect(sent(request?.messages)).toEqual([
      expect.stringMatching(/^system: You are Ada\. Today is [A-Z]\w+day\.$/),
      'user: Is it safe?',
      'assistant: Yes.',
      'user: <<second>>',
    ]);
    const agent = { id: 'ada', title: 'Ada', avatar: '🧪' };
    expect(await listAnswers(bench)).toMatchObject([{ agent }, { agent, model: 'of-ada' }]);
  });

  test('continues with what it started with when the agent is changed or deleted', async () => {
    const hanging = hangsAfter('The answer');
    const model = scriptedModel([hanging.answer, says('shorter')]);
    const bench = await benchWith(model);
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', agentId: 'ada', at: 0 });
    const runId = await bench.ask('c', 'Tell me');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    await bench.storage.agents.update(ANNE, 'ada', { title: 'Eve', configuration: {}, version: 1, at: 1 });
    await bench.storage.agents.remove(ANNE, 'ada');
    await bench.say('c', 'shorter!', { whenBusy: 'steer' });
    hanging.go(' is long');
    await bench.rest(runId);
    expect(model.requests[1]?.model).toBe('of-ada');
    expect(sent(model.requests[1]?.messages)[0]).toMatch(/^system: You are Ada/);
    expect(await listAnswers(bench)).toMatchObject([{ agent: { title: 'Ada' } }, { agent: { title: 'Ada' } }]);
    await expect(bench.ask('c', 'again')).rejects.toThrow('There is no agent ada.');
  });
});

describe('a message that mentions an agent', () => {
  test('is answered by it once, with its settings and those limits that the user set in the conversation', async () => {
    const model = scriptedModel([says('a'), says('b'), says('c'), says('d')]);
    const bench = await benchWith(model);
    const configuration = { instructions: 'Of the chat.', intervention: 'headless', model: ADA.model } as const;
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', agentId: 'ada', configuration, at: 0 });
    const mention = async (): Promise<string> => {
      const said = await bench.say('c', 'you?', { agentId: 'bob' });
      if ('queued' in said) throw new Error('queued');
      await bench.rest(said.run.id);
      return said.run.id;
    };
    const runId = await mention();
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ agentId: 'bob' });
    expect(sent(model.requests[0]?.messages)).toEqual(['system: I am Bob.', 'user: you?']);
    // The message keeps whom it mentions, with the name at that time.
    expect((await bench.branch('c'))[0]).toMatchObject({ role: 'user', mention: { id: 'bob', title: 'Bob' } });
    // Regenerated by the agent that answered, even after the next message went to the agent of the conversation.
    const [answer] = await listAnswers(bench);
    const { run } = await bench.runs.regenerate(ANNE, 'c', { messageId: answer?.id ?? '' });
    await bench.rest(run.id);
    expect(sent(model.requests[1]?.messages)[0]).toBe('system: I am Bob.');
    await bench.rest(await bench.ask('c', 'next'));
    expect(sent(model.requests[2]?.messages)[0]).toBe('system: Of the chat.');
    expect((await listAnswers(bench)).map(({ agent }) => agent?.title)).toEqual(['Bob', 'Ada']);
    await bench.storage.agents.remove(ANNE, 'bob');
    await expect(bench.say('c', 'you?', { agentId: 'bob' })).rejects.toThrow('There is no agent bob.');
  });

  test('waits in the queue with its agent while another answer is in progress', async () => {
    const hanging = hangsAfter('Well');
    const model = scriptedModel([hanging.answer, says('Hello')]);
    const bench = await benchWith(model);
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', at: 0 });
    const runId = await bench.ask('c', 'Tell me');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    const said = await bench.say('c', 'you?', { id: 'q', agentId: 'bob', whenBusy: 'steer' });
    expect(said).toMatchObject({ queued: { id: 'q', agentId: 'bob' } });
    expect(said).not.toHaveProperty('queued.steers');
    hanging.go('.');
    await bench.rest(runId);
    await eventually(async () => (await listAnswers(bench)).length === 2);
    await bench.rest('q');
    expect(sent(model.requests[1]?.messages)[0]).toBe('system: I am Bob.');
  });
});
