import { afterEach, describe, expect, test } from 'vitest';
import { SUB_AGENT_TOOLS } from '@toolyard/agent-host';
import type { ChatRequest } from '@toolyard/model-runtime';
import type { JsonObject, Message, SubAgentTask, UserMessage } from '@toolyard/protocol';
import { DEFAULT_LIMITS, textOf } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { listSubAgents } from './list-sub-agents.ts';
import type { RunBench, RunBenchOptions } from './test-fixtures/bench.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/bench.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, hangsAfter, says } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** As listed by the bench; the registered function is executed. */
const DELEGATE = { serverId: 'sub-agents', builtIn: true, call: () => answers('must not be called') };
const ASK_USER = { serverId: 'person', builtIn: true, call: () => answers('must not be called') };

type Task = Partial<Pick<SubAgentTask, 'title' | 'context' | 'agent' | 'tools' | 'maxTurns'>> & {
  task: string;
  timeoutSeconds?: number;
};

function delegates(...tasks: Task[]): ScriptedAnswer {
  return calls({ name: 'delegate_task', arguments: { tasks: tasks as unknown as JsonObject[] } });
}

/** A model that answers by the last user message and the number of answers since. */
function modelOf(script: (question: string, answered: number, request: ChatRequest) => ScriptedAnswer) {
  const requests: ChatRequest[] = [];
  return {
    provider: 'scripted',
    requests,
    async *chat(request: ChatRequest, { signal = new AbortController().signal }: { signal?: AbortSignal } = {}) {
      requests.push({ ...request, messages: [...request.messages] });
      const at = request.messages.findLastIndex(({ role }) => role === 'user');
      const question = request.messages[at] as UserMessage;
      const since = request.messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
      const answer = script(textOf(question), since, request);
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
  script: Parameters<typeof modelOf>[0],
  more: Partial<RunBenchOptions> = {},
): Promise<{ bench: RunBench; model: ReturnType<typeof modelOf>; folder: string }> {
  const model = modelOf(script);
  const folder = temporaryFolder();
  const bench = await openBench(folder, {
    model,
    functions: SUB_AGENT_TOOLS,
    tools: { delegate_task: DELEGATE, ask_user: ASK_USER, ...more.tools },
    ...more,
  });
  return { bench, model, folder };
}

const over = (bench: RunBench, runId: string): Promise<void> =>
  eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: `the end of ${runId}` });

const childrenOf = (bench: RunBench, runId: string) => bench.storage.runs.listRuns(ANNE, { parentRunId: runId, limit: 99 });

describe('a run that delegates tasks', () => {
  test('gets the answers of three sub-agents: one answers, one fails, one asks the user', async () => {
    const { bench } = await benchWith((question, answered) => {
      if (question === 'Plan') {
        return answered === 0
          ? delegates({ task: 'Count', title: 'Counter' }, { task: 'Fail' }, { task: 'Ask', maxTurns: 5 })
          : says('All', ' done');
      }
      if (question === 'Count') return says('Three.');
      if (question === 'Fail') return [[{ type: 'error', error: { code: 'network', message: 'no line' } }]];
      return answered === 0 ? calls({ name: 'ask_user', arguments: { question: 'Which?' } }) : says('Blue it is.');
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Plan');
    await eventually(() => bench.storage.runs.countInterrupts(ANNE) === 1, { what: 'the question of the child' });
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    expect(asked?.interrupt).toMatchObject({ kind: 'prompt', question: 'Which?' });
    await eventually(() => childrenOf(bench, runId).filter(({ endedAt }) => endedAt !== null).length === 2);
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
});
