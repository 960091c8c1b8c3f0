import { afterEach, describe, expect, test } from 'vitest';
import type { FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const FORM = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };

/** As listed by the bench; the registered function is executed. */
const listed = { book: { serverId: 'travel', builtIn: true, call: () => answers('must not be called') } };

/** A tool that books after two answers, and records its actions and principal. */
function travel(acts: string[]): FunctionToolGroup {
  const execute = async (_args: unknown, { ask, user, conversation, run, budget }: ToolContext): Promise<string> => {
    acts.push('begins');
    const day = await ask({ kind: 'prompt', question: 'Which day?' });
    if (day.decision !== 'say') return 'not booked';
    acts.push(`reserves ${day.text}`);
    const seat = await ask({ kind: 'form', message: 'Which seat?', schema: FORM });
    acts.push(`books ${JSON.stringify(seat)} for ${user} in ${conversation}, run ${run}, turn ${budget?.turns}`);
    return 'booked';
  };
  return {
    id: 'travel',
    tools: [tool({ name: 'book', description: 'Books.', inputSchema: { type: 'object' }, execute })],
  };
}

describe('a function tool of the server that asks the user', () => {
  test('continues in another process with every answer, and repeats only the code before an interrupt', async () => {
    const acts: string[] = [];
    const options = { tools: listed, functions: travel(acts), configuration: { intervention: 'auto' as const } };
    const folder = temporaryFolder();
    const model = scriptedModel([calls({ name: 'book', arguments: {} })]);
    const first = await openBench(folder, { ...options, model });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Book it');
    await first.rest(runId);
    const [day] = first.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    expect(day).toMatchObject({ mode: 'parked', interrupt: { kind: 'prompt', question: 'Which day?' } });
    first.die();

    const second = await openBench(folder, { ...options, model: scriptedModel([]) });
    await second.runs.answer(ANNE, day?.id ?? '', { decision: 'say', text: 'Monday' });
    const openForm = () =>
      second.storage.runs
        .listInterrupts(ANNE, { runId, limit: 9 })
        .find(({ interrupt, status }) => interrupt.kind === 'elicitation' && status === 'open');
    await eventually(() => openForm() !== undefined && second.storage.runs.getRun(ANNE, runId)?.status === 'parked');
    second.die();

    const third = await openBench(folder, { ...options, model: scriptedModel([says('Booked it.')]) });
    const form = third.storage.runs.listInterrupts(ANNE, { runId, status: 'open', limit: 9 })[0]?.id ?? '';
    await expect(third.runs.answer(ANNE, form, { decision: 'accept', content: {} })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await third.runs.answer(ANNE, form, { decision: 'accept', content: { seat: '7A' } });
    await eventually(() => third.storage.runs.getRun(ANNE, runId)?.status === 'done');
    expect(transcriptLines(await third.branch(conversation)).slice(-2)).toEqual([
      'tool: booked',
      'assistant: Booked it.',
    ]);
    expect(acts).toEqual([
      'begins',
      'begins',
      'reserves Monday',
      'begins',
      'reserves Monday',
      `books {"decision":"accept","content":{"seat":"7A"}} for anne in ${conversation}, run ${runId}, turn 1`,
    ]);
  });

  test('needs approval like any tool that is not read-only', async () => {
    const acts: string[] = [];
    const model = scriptedModel([calls({ name: 'book', arguments: {} })]);
    const unmarked = { book: { ...listed.book, readOnly: false } };
    const bench = await openBench(temporaryFolder(), { model, tools: unmarked, functions: travel(acts) });
    const runId = await bench.ask(await bench.conversation(), 'Book it');
    await bench.rest(runId);
    const [open] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    expect(open?.interrupt.kind).toBe('approval');
    expect(acts).toEqual([]);
  });
});
