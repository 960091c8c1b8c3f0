import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** As registered; a call that reaches the server fails the test. */
const tools = { ask_user: { serverId: 'person', builtIn: true, call: () => answers('must not be called') } };
const prompt = { name: 'ask_user', arguments: { question: 'Which city?' } };
const selection = { name: 'ask_user', arguments: { question: 'Which?', choices: ['red', 'green', 'red'] } };

describe('an interrupt of the model (ask_user)', () => {
  test('parks the run, survives a crash, and its answer is the result of the call', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([calls(prompt)]), tools });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'How is the weather?');
    await first.rest(runId);
    const [open] = first.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    expect(open).toMatchObject({ mode: 'parked', interrupt: { kind: 'prompt', question: 'Which city?' } });
    first.die();

    const second = await openBench(folder, { model: scriptedModel([says('Sunny in Bern')]), tools });
    const id = open?.id ?? '';
    await expect(second.runs.answer(ANNE, id, { decision: 'approve', scope: 'once' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(second.runs.answer(ANNE, id, { decision: 'say', text: ' ' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await second.runs.answer(ANNE, id, { decision: 'say', text: 'Bern' });
    await eventually(() => second.storage.runs.getRun(ANNE, runId)?.status === 'done');
    expect(transcriptLines(await second.branch(conversation)).slice(-2)).toEqual([
      'tool: Bern',
      'assistant: Sunny in Bern',
    ]);
    await expect(second.runs.answer(ANNE, id, { decision: 'decline' })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('accepts only offered choices, and as many as allowed', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([calls(selection), says('ok')]), tools });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Paint it');
    await bench.rest(runId);
    const [open] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    expect(open?.interrupt).toMatchObject({ kind: 'selection', choices: ['red', 'green'], multiple: false });
    const id = open?.id ?? '';
    for (const chosen of [['blue'], [], ['red', 'green'], ['red', 'red']]) {
      await expect(bench.runs.answer(ANNE, id, { decision: 'choose', chosen })).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
    await bench.runs.answer(ANNE, id, { decision: 'choose', chosen: ['green'] });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'done');
    expect(transcriptLines(await bench.branch(conversation)).at(-2)).toBe('tool: green');
  });

  test('returns an error if no user is available', async () => {
    const model = scriptedModel([calls(prompt), says('I assume Bern')]);
    const bench = await openBench(temporaryFolder(), { model, tools, configuration: { intervention: 'headless' } });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'How is the weather?'));
    expect(transcriptLines(await bench.branch(conversation))).toMatchObject({
      2: expect.stringContaining('No user can be asked') as string,
      3: 'assistant: I assume Bern',
    });
  });

  test('is an ordinary call if a server merely uses the same names', async () => {
    const foreign = { ask_user: { serverId: 'person', call: () => answers('mine') } };
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([calls(prompt)]), tools: foreign });
    const runId = await bench.ask(await bench.conversation(), 'Hi');
    await bench.rest(runId);
    const [open] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    expect(open?.interrupt.kind).toBe('approval');
  });
});
