import { afterEach, describe, expect, test } from 'vitest';
import { SUB_AGENT_TOOLS } from '@toolyard/agent-host';
import type { ChatRequest } from '@toolyard/model-runtime';
import type { Message, SubAgentTask, UserMessage } from '@toolyard/protocol';
import { DEFAULT_LIMITS, textOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { listSubAgents } from './list-sub-agents.ts';
import type { RunBench, RunBenchOptions } from '../test-fixtures/setup.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from '../test-fixtures/setup.ts';
import type { ScriptedAnswer } from '../test-fixtures/scripted-model.ts';
import { calls, hangsAfter, says } from '../test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** As listed by the bench; the registered function is executed. */
const DELEGATE = { serverId: 'sub-agents', builtIn: true, call: () => answers('must not be called') };
const ASK_USER = { serverId: 'person', builtIn: true, call: () => answers('must not be called') };

type Task = Partial<Pick<SubAgentTask, 'title' | 'context' | 'agent' | 'tools' | 'maxTurns'>> & {
  task: string;
  timeoutSeconds?: number;
};

function delegates(...tasks: Task[]): ScriptedAnswer {
  return calls({ name: 'delegate_task', arguments: { tasks } });
}

/** A model that answers by the last user message and the number of answers since. */
function createModel(script: (message: string, answered: number, request: ChatRequest) => ScriptedAnswer) {
  const requests: ChatRequest[] = [];
  return {
    provider: 'scripted',
    requests,
    async *chat(request: ChatRequest, { signal = new AbortController().signal }: { signal?: AbortSignal } = {}) {
      requests.push({ ...request, messages: [...request.messages] });
      const at = request.messages.findLastIndex(({ role }) => role === 'user');
      const userMessage = request.messages[at] as UserMessage;
      const since = request.messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
      const answer = script(textOf(userMessage), since, request);
      const batches = typeof answer === 'function' ? answer(request, signal) : answer;
      for await (const batch of batches) {
        signal.throwIfAborted();
        yield batch;
      }
    },
    models: () => Promise.resolve([{ id: 'scripted-1' }]),
  };
}

async function benchWith(
  script: Parameters<typeof createModel>[0],
  more: Partial<RunBenchOptions> = {},
): Promise<{ bench: RunBench; model: ReturnType<typeof createModel>; folder: string }> {
  const model = createModel(script);
  const folder = temporaryFolder();
  const bench = await openBench(folder, {
    model,
    functions: SUB_AGENT_TOOLS,
    tools: { delegate_task: DELEGATE, ask_user: ASK_USER, ...more.tools },
    ...more,
  });
  return { bench, model, folder };
}

const over = (bench: RunBench, runId: string): Promise<unknown> =>
  eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: `the end of ${runId}` });

const listChildren = (bench: RunBench, runId: string) =>
  bench.storage.runs.listRuns(ANNE, { parentRunId: runId, limit: 99 });

describe('a run that delegates tasks', () => {
  test('gets the answers of three sub-agents: one answers, one fails, one asks the user', async () => {
    const { bench } = await benchWith((message, answered) => {
      if (message === 'Plan') {
        return answered === 0
          ? delegates({ task: 'Count', title: 'Counter' }, { task: 'Fail' }, { task: 'Ask', maxTurns: 5 })
          : says('All', ' done');
      }
      if (message === 'Count') return says('Three.');
      if (message === 'Fail') return [[{ type: 'error', error: { code: 'network', message: 'no line' } }]];
      return answered === 0 ? calls({ name: 'ask_user', arguments: { question: 'Which?' } }) : says('Blue it is.');
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await eventually(() => bench.storage.runs.countInterrupts(ANNE) === 1, { what: 'the interrupt of the child' });
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    expect(asked?.interrupt).toMatchObject({ kind: 'prompt', question: 'Which?' });
    await eventually(() => listChildren(bench, runId).filter(({ endedAt }) => endedAt !== null).length === 2);
    expect(await listSubAgents(bench.storage, ANNE, runId)).toMatchObject([
      { title: 'Counter', status: 'done', asks: 0 },
      { title: 'Fail', status: 'failed', error: { message: 'no line' } },
      { title: 'Ask', status: 'parked', asks: 1, conversationId: asked?.conversationId },
    ]);
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'say', text: 'Blue' });
    await over(bench, runId);
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Plan',
      'assistant: <tool_call>',
      'tool: ## 1. Counter\n\nThree.\n\n## 2. Fail\n\nThe sub-agent failed: no line\n\n## 3. Ask\n\nBlue it is.',
      'assistant: All done',
    ]);
  });

  test('tells its model which sub-agent timed out, and that one did not answer within its turns', async () => {
    const hanging = hangsAfter('Half');
    const { bench, model } = await benchWith((message, answered) => {
      if (message === 'Plan') {
        return answered === 0
          ? delegates({ task: 'Hang', timeoutSeconds: 1 }, { task: 'Loop', maxTurns: 1, title: 'Loop' })
          : says('Done.');
      }
      return message === 'Hang' ? hanging.answer : calls({ name: 'ask_user', arguments: { question: 'Again?' } });
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await over(bench, runId);
    const [, , result] = transcriptLines(await bench.branch(conversation));
    expect(result).toContain('exceeded its time limit of 1 s. Its answer until then:\n\nHalf');
    expect(result).toContain('## 2. Loop\n\nThe sub-agent failed: The model still requested tools after 1 turn');
    expect(model.requests).toHaveLength(4);
  });

  test('continues in another process, whose sub-agents ended meanwhile', async () => {
    const script: Parameters<typeof createModel>[0] = (message, answered) => {
      if (message === 'Plan') return answered === 0 ? delegates({ task: 'Ask' }) : says('Done.');
      return answered === 0 ? calls({ name: 'ask_user', arguments: { question: 'Which?' } }) : says('Blue.');
    };
    const { bench, folder } = await benchWith(script);
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await eventually(() => bench.storage.runs.countInterrupts(ANNE) === 1);
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'parked');
    bench.die();
    const next = await openBench(folder, {
      model: createModel(script),
      functions: SUB_AGENT_TOOLS,
      tools: { delegate_task: DELEGATE, ask_user: ASK_USER },
    });
    const [asked] = next.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    await next.runs.answer(ANNE, asked?.id ?? '', { decision: 'say', text: 'Blue' });
    await over(next, runId);
    expect(transcriptLines(await next.branch(conversation)).slice(-2)).toEqual(['tool: Blue.', 'assistant: Done.']);
  });

  test('that is cancelled cancels every run below it', async () => {
    const hanging = hangsAfter('Half');
    const { bench } = await benchWith((message, answered) => {
      if (message === 'Plan') return answered === 0 ? delegates({ task: 'Middle' }, { task: 'Hang' }) : says('Done.');
      return message === 'Middle' ? delegates({ task: 'Hang' }) : hanging.answer;
    });
    const runId = await bench.ask(await bench.conversation(), 'Plan');
    const all = () => bench.storage.runs.listRuns(ANNE, { limit: 99 });
    await eventually(() => all().length === 4, { what: 'four runs' });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'parked');
    await bench.runs.cancel(ANNE, runId);
    await eventually(() => all().every(({ endedAt }) => endedAt !== null), { what: 'the end of all' });
    expect(all().map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  });

  test('counts the usage of the whole tree, and asks about its budget itself', async () => {
    const { bench, model } = await benchWith(
      (message, answered) => {
        if (message === 'Plan')
          return answered === 0 ? delegates({ task: 'A' }, { task: 'B' }, { task: 'C' }) : says('Done.');
        return answered < 5 ? calls({ name: 'look' }) : says('Seen.');
      },
      {
        tools: { look: { builtIn: true, call: () => answers('seen') }, delegate_task: DELEGATE },
        configuration: { budgets: [{ of: 'run', calls: 6 }] },
      },
    );
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await eventually(() => bench.storage.runs.countInterrupts(ANNE) === 1, { what: 'the interrupt about the budget' });
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    expect(asked).toMatchObject({ runId, interrupt: { kind: 'budget', budget: { of: 'run', calls: 6 } } });
    // At most the calls in progress beyond the limit: one for each of the other sub-agents.
    expect(model.requests.length).toBeLessThanOrEqual(8);
    expect(asked?.interrupt).toMatchObject({ spent: { calls: model.requests.length } });
    expect(listChildren(bench, runId).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'raise', limit: 50 });
    await over(bench, runId);
    const [, , result] = transcriptLines(await bench.branch(conversation));
    expect(result).toContain('The budget of this run is used up');
  });

  test('passes on nothing, a summary or the whole conversation', async () => {
    const { bench, model } = await benchWith((message, answered) => {
      if (message.includes('Summarize this conversation')) return says('They like blue.');
      if (message === 'Hello') return says('Hi.');
      if (message === 'Plan') {
        const tasks: Task[] = [{ task: 'N' }, { task: 'S', context: 'summary' }, { task: 'I', context: 'inherit' }];
        return answered === 0 ? delegates(...tasks) : says('Done.');
      }
      return says(`I am ${message}.`);
    });
    const conversation = await bench.conversation();
    await over(bench, await bench.ask(conversation, 'Hello'));
    const runId = await bench.ask(conversation, 'Plan');
    await over(bench, runId);
    const sent = (task: string): string[] => {
      const isOfTask = ({ messages }: ChatRequest): boolean => textOf(messages.at(-1) as Message).endsWith(task);
      return model.requests.find(isOfTask)?.messages.map((message) => textOf(message)) ?? [];
    };
    expect(sent('N')).toEqual(['N']);
    expect(sent('S')).toEqual([expect.stringMatching(/^<conversation-summary>\nThey like blue\.\n.*S$/s)]);
    expect(sent('I')).toEqual(['Hello', 'Hi.', 'Plan', 'I']);
    // The conversation of each has its task and its answer only.
    for (const { conversationId } of listChildren(bench, runId)) {
      expect(await bench.branch(conversationId)).toHaveLength(2);
    }
  });

  test('gives no more tools, depth or laxer rules than it has, and no writing of memory', async () => {
    const { bench, model } = await benchWith(
      (message, answered) => {
        if (message === 'Plan')
          return answered === 0 ? delegates({ task: 'One', tools: ['delegate_task'] }) : says('Done.');
        if (message === 'One') return answered === 0 ? delegates({ task: 'Two' }) : says('Done.');
        return says('At the bottom.');
      },
      {
        tools: { delegate_task: DELEGATE, ask_user: ASK_USER, remember: { ...ASK_USER, serverId: 'memory' } },
        configuration: { limits: { ...DEFAULT_LIMITS, maxDepth: 2 }, intervention: 'headless' },
      },
    );
    const runId = await bench.ask(await bench.conversation(), 'Plan');
    await over(bench, runId);
    const findTools = (task: string): string[] | undefined =>
      model.requests.find(({ messages }) => textOf(messages.at(-1) as Message) === task)?.tools.map(({ name }) => name);
    expect(findTools('Plan')).toEqual(['delegate_task', 'ask_user', 'remember']);
    expect(findTools('Two')).toEqual(['ask_user']);
    const [child] = listChildren(bench, runId);
    const stored = await bench.storage.conversations.get(ANNE, child?.conversationId ?? '');
    expect(stored?.configuration).toMatchObject({
      intervention: 'headless',
      disabledTools: ['person/ask_user', 'memory/remember'],
    });
  });

  test('gets a clear error for an agent that is not there, a cycle, and a tool it does not have', async () => {
    const { bench } = await benchWith((message, answered) => {
      if (message !== 'Plan') return says('Never.');
      const tasks: Task[] = [
        { task: 'A', agent: 'Nobody' },
        { task: 'B', agent: 'writer' },
        { task: 'C', tools: ['rocket'] },
      ];
      return answered === 0 ? delegates(...tasks) : says('Done.');
    });
    await bench.storage.agents.create(ANNE, { id: 'w', title: 'Writer', configuration: {}, profile: {}, at: 1 });
    await bench.storage.conversations.create(ANNE, { id: 'c', title: '', agentId: 'w', at: 1 });
    const runId = await bench.ask('c', 'Plan');
    await over(bench, runId);
    const [, , result] = transcriptLines(await bench.branch('c'));
    expect(result).toContain('not started: There is no agent "Nobody". Agents: "Writer".');
    expect(result).toContain('would delegate to each other in a cycle: Writer → Writer.');
    expect(result).toContain('A sub-agent cannot use "rocket": you have no such tool.');
    expect(listChildren(bench, runId)).toEqual([]);
  });

  test('is asked about by the conversation of its sub-agents as long as both are there', async () => {
    const { bench } = await benchWith((message, answered) => {
      if (message === 'Plan') return answered === 0 ? delegates({ task: 'Work' }) : says('Done.');
      return says('Worked.');
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await over(bench, runId);
    const { conversations } = bench.storage;
    const [child] = listChildren(bench, runId);
    const id = child?.conversationId ?? '';
    const listed = async (): Promise<string[]> => (await conversations.list(ANNE, { limit: 9 })).map((each) => each.id);
    expect(await listed()).toEqual([conversation]);
    expect(await conversations.get(ANNE, id)).toMatchObject({
      title: 'Work',
      parent: { conversationId: conversation, runId },
    });
    await conversations.remove(ANNE, conversation, 5);
    expect(await conversations.get(ANNE, id)).toBeNull();
    await conversations.restore(ANNE, conversation);
    expect(await conversations.get(ANNE, id)).not.toBeNull();
    await conversations.remove(ANNE, conversation, 5);
    await conversations.purgeDeleted(10, 9);
    expect(bench.storage.runs.listRuns(ANNE, { limit: 9 })).toEqual([]);
  });
});

describe('a message that delegates tasks', () => {
  test('starts them before the model is asked, which gets their answers', async () => {
    const { bench, model } = await benchWith((message) => says(message === 'Sum it up' ? 'Both.' : `Did ${message}.`));
    const conversation = await bench.conversation();
    const delegate = [{ task: 'A', maxWallTimeMs: 1_500 }, { task: 'B' }];
    const sent = await bench.say(conversation, 'Sum it up', { delegate });
    if ('queued' in sent) throw new Error('queued');
    await over(bench, sent.run.id);
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Sum it up',
      'assistant: <tool_call>',
      'tool: ## 1. A\n\nDid A.\n\n## 2. B\n\nDid B.',
      'assistant: Both.',
    ]);
    expect(model.requests).toHaveLength(3);
    expect(
      bench
        .events(sent.run.id)
        .slice(0, 3)
        .map(({ type }) => type),
    ).toEqual(['run_started', 'message_finished', 'step_started']);
  });

  test('is rejected while an answer is in progress', async () => {
    const hanging = hangsAfter('Half');
    const { bench } = await benchWith(() => hanging.answer);
    const conversation = await bench.conversation();
    await bench.ask(conversation, 'Hang');
    await expect(bench.say(conversation, 'More', { delegate: [{ task: 'A' }] })).rejects.toMatchObject({
      code: 'conflict',
    });
    hanging.go();
  });
});
