import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '@toolyard/testing';
import { ANNE, answers, BERT, cleanUp, openBench, temporaryFolder, transcriptLines } from '../test-fixtures/setup.ts';
import { endedRunEvents } from '../test-fixtures/run-events.ts';
import { calls, hangsAfter, says, scriptedModel } from '../test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const date = { date: { builtIn: true, call: () => answers('noon') } };
const broken = [[{ type: 'error', error: { code: 'overloaded', message: 'Busy.' } }]] as const;

describe('a run that did not complete', () => {
  test('failed: another run continues after the tool results, without repeating the calls', async () => {
    const model = scriptedModel([calls({ name: 'date' }), broken, says('At noon')]);
    const bench = await openBench(temporaryFolder(), { model, tools: date });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'When?');
    await endedRunEvents(bench, runId);
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'failed' });

    const resumed = await bench.runs.resume(ANNE, runId);
    expect(resumed.id).not.toBe(runId);
    await endedRunEvents(bench, resumed.id);
    expect(bench.storage.runs.getRun(ANNE, resumed.id)).toMatchObject({ status: 'done' });
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'failed' });
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: When?',
      'assistant: <tool_call>',
      'tool: noon',
      'assistant: At noon',
    ]);
    expect(transcriptLines(model.requests[2]?.messages ?? [])).toEqual([
      'user: When?',
      'assistant: <tool_call>',
      'tool: noon',
    ]);
  });

  test('cancelled during an answer: the answer is regenerated beside the partial one', async () => {
    const model = scriptedModel([hangsAfter('Once upon').answer, says('Here it is')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Tell');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    await bench.runs.cancel(ANNE, runId);
    await endedRunEvents(bench, runId);
    const { id } = await bench.runs.resume(ANNE, runId);
    await endedRunEvents(bench, id);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Tell', 'assistant: Here it is']);
    expect(transcriptLines(await bench.all(conversation))).toContain('assistant: Once upon');
  });

  test('failed during an answer: the answer is continued if the model supports it', async () => {
    const dead = { type: 'error', error: { code: 'network', message: 'The line is dead.' } } as const;
    const cut = [[{ type: 'text', text: 'It is at ' }], [dead]] as const;
    const model = Object.assign(scriptedModel([calls({ name: 'date' }), cut, says(' noon.')]), { canContinue: true });
    const bench = await openBench(temporaryFolder(), { model, tools: date });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'When?');
    await endedRunEvents(bench, runId);
    const { id } = await bench.runs.resume(ANNE, runId);
    await endedRunEvents(bench, id);
    expect(model.requests[2]).toMatchObject({ continues: true });
    expect(transcriptLines(model.requests[2]?.messages ?? []).at(-1)).toBe('assistant: It is at');
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: When?',
      'assistant: <tool_call>',
      'tool: noon',
      'assistant: It is at noon.',
    ]);
    expect((await bench.runs.resume(ANNE, runId)).id).toBe(id);
    expect(model.requests).toHaveLength(3);
  });

  test('is continued once, however often that is requested', async () => {
    const model = scriptedModel([broken, says('Yes')]);
    const bench = await openBench(temporaryFolder(), { model });
    const runId = await bench.ask(await bench.conversation(), 'Well?');
    await endedRunEvents(bench, runId);
    const both = await Promise.all([bench.runs.resume(ANNE, runId), bench.runs.resume(ANNE, runId)]);
    const [{ id }] = both;
    await endedRunEvents(bench, id);
    const late = await bench.runs.resume(ANNE, runId);
    expect([...both, late].map((run) => run.id)).toEqual([id, id, id]);
    expect(model.requests).toHaveLength(2);
  });

  test('reports which run to continue if the continuing one failed or was cancelled too', async () => {
    const hanging = hangsAfter('Hm');
    const model = scriptedModel([broken, broken, hanging.answer, says('Yes')]);
    const bench = await openBench(temporaryFolder(), { model });
    const first = await bench.ask(await bench.conversation(), 'Well?');
    await endedRunEvents(bench, first);
    const second = (await bench.runs.resume(ANNE, first)).id;
    await endedRunEvents(bench, second);
    const refusal = { code: 'conflict', hint: expect.stringContaining(second) as string };
    await expect(bench.runs.resume(ANNE, first)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('and failed') as string,
    });
    const third = (await bench.runs.resume(ANNE, second)).id;
    await eventually(() => model.requests.length === 3);
    await bench.runs.cancel(ANNE, third);
    await endedRunEvents(bench, third);
    hanging.go();
    const message = expect.stringContaining('cancelled') as string;
    const hint = expect.stringContaining(third) as string;
    await expect(bench.runs.resume(ANNE, first)).rejects.toMatchObject({ code: 'conflict', message, hint });
    const fourth = (await bench.runs.resume(ANNE, third)).id;
    await endedRunEvents(bench, fourth);
    expect((await bench.runs.resume(ANNE, first)).id).toBe(fourth);
    expect(model.requests).toHaveLength(4);
  });

  test('cannot be continued after newer messages', async () => {
    const model = scriptedModel([broken, says('Two')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'One?');
    await endedRunEvents(bench, runId);
    await endedRunEvents(bench, await bench.ask(conversation, 'Two?'));
    await expect(bench.runs.resume(ANNE, runId)).rejects.toMatchObject({ code: 'conflict' });
    expect(model.requests).toHaveLength(2);
  });
});

describe('a run that cannot be resumed', () => {
  test('reports why: completed, in progress, waiting for the user, or of another user', async () => {
    const hanging = hangsAfter('Hm');
    const model = scriptedModel([says('Done'), calls({ name: 'send' }), hanging.answer]);
    const bench = await openBench(temporaryFolder(), { model, tools: { send: { call: () => answers('sent') } } });
    const done = await bench.ask(await bench.conversation(), 'One');
    await endedRunEvents(bench, done);
    const parked = await bench.ask(await bench.conversation(), 'Two');
    await bench.rest(parked);
    const running = await bench.ask(await bench.conversation(), 'Three');
    const refusal = (runId: string, who = ANNE): Promise<unknown> =>
      bench.runs.resume(who, runId).then(
        () => 'resumed',
        ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
      );
    expect(await refusal(done)).toMatch(/^conflict: .*has completed/);
    expect(await refusal(parked)).toMatch(/^conflict: .*waits for the user/);
    expect(await refusal(running)).toMatch(/^conflict: .*is in progress/);
    expect(await refusal(done, BERT)).toMatch(/^not_found/);
    expect(await refusal('none')).toMatch(/^not_found/);
    hanging.go();
  });
});
