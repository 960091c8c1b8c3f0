import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** A tool that returns when the test allows it. */
function slowTool(): { tool: { call: () => Promise<ReturnType<typeof answers>>; builtIn: true }; go: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return { tool: { builtIn: true, call: () => released.then(() => answers('42')) }, go: () => release() };
}

describe('a message sent to an executing run', () => {
  test('follows the result of the open call, and is in the next model request', async () => {
    const { tool, go } = slowTool();
    const model = scriptedModel([calls({ name: 'count' }), says('In German: 42')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { count: tool } });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Count');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'tool_started'));
    const sent = await bench.say(conversation, 'in German, please', { id: 's1', whenBusy: 'steer' });
    expect(sent).toMatchObject({ queued: { id: 's1' } });
    await bench.say(conversation, 'Later', { id: 'q1' });
    const queued = await bench.storage.queue.list(ANNE, conversation);
    expect(queued.map(({ id, steers }) => ({ id, steers }))).toEqual([{ id: 's1', steers: true }, { id: 'q1' }]);
    await bench.runs.removeQueued(ANNE, conversation, 'q1');
    go();
    const events = await bench.rest(runId);

    expect(transcriptLines(model.requests[1]?.messages ?? [])).toMatchObject({
      0: 'user: Count',
      3: 'user: in German, please',
    });
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual([
      'user: in German, please',
      'assistant: In German: 42',
    ]);
    expect(events.filter(({ type }) => type === 'steered')).toHaveLength(1);
    expect(await bench.storage.queue.list(ANNE, conversation)).toEqual([]);
    expect(bench.storage.runs.listRuns(ANNE, { limit: 9 })).toHaveLength(1);
  });

  test('during the last answer: the run continues with it instead of ending', async () => {
    const hanging = hangsAfter('The answer');
    const model = scriptedModel([hanging.answer, says('Shorter')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Tell me');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    await bench.say(conversation, 'shorter!', { whenBusy: 'steer' });
    hanging.go(' is long');
    await bench.rest(runId);
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Tell me',
      'assistant: The answer is long',
      'user: shorter!',
      'assistant: Shorter',
    ]);
    expect(bench.storage.runs.listRuns(ANNE, { limit: 9 })).toHaveLength(1);
  });

  test('is sent as its own message if the run has no turn left', async () => {
    const hanging = hangsAfter('Well');
    const model = scriptedModel([hanging.answer, says('Hello again')]);
    const bench = await openBench(temporaryFolder(), {
      model,
      configuration: { limits: { ...DEFAULT_LIMITS, maxTurns: 1 } },
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Tell me');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    await bench.say(conversation, 'and?', { id: 's1', whenBusy: 'steer' });
    hanging.go();
    await bench.rest(runId);
    await eventually(() => bench.storage.runs.getRun(ANNE, 's1')?.status === 'done');
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual([
      'user: and?',
      'assistant: Hello again',
    ]);
  });

  test('waits while the run waits for the user, does not resume it, and is added once it continues', async () => {
    const model = scriptedModel([calls({ name: 'delete' }), says('Done')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { delete: { call: () => answers('gone') } } });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Delete it');
    await bench.rest(runId);
    await bench.say(conversation, 'and tell me', { whenBusy: 'steer' });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'parked');
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { runId, limit: 9 });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.status === 'done');
    const branch = transcriptLines(await bench.branch(conversation));
    expect(branch.slice(-2)).toEqual(['user: and tell me', 'assistant: Done']);
    expect(branch).toHaveLength(5);
  });

  test('is not added after it was deleted', async () => {
    const { tool, go } = slowTool();
    const model = scriptedModel([calls({ name: 'count' }), says('42')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { count: tool } });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Count');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'tool_started'));
    await bench.say(conversation, 'no matter', { id: 's1', whenBusy: 'steer' });
    await bench.runs.removeQueued(ANNE, conversation, 's1');
    go();
    await bench.rest(runId);
    expect(transcriptLines(await bench.branch(conversation)).filter((line) => line.startsWith('user:'))).toEqual([
      'user: Count',
    ]);
  });

  test('is added once, however often it is sent: while queued, after it was added, and after the run', async () => {
    const { tool, go } = slowTool();
    const model = scriptedModel([calls({ name: 'count' }), calls({ name: 'count' }), says('42')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { count: tool } });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Count');
    const again = () => bench.say(conversation, 'in German', { id: 's1', whenBusy: 'steer' });
    await eventually(() => bench.events(runId).some(({ type }) => type === 'tool_started'));
    expect(await Promise.all([again(), again()])).toMatchObject([{ queued: { id: 's1' } }, { queued: { id: 's1' } }]);
    go();
    await eventually(() => bench.events(runId).some(({ type }) => type === 'steered'));
    expect(await again()).toMatchObject({ run: { id: runId }, message: { id: 's1' } });
    await bench.rest(runId);
    expect(await again()).toMatchObject({ run: { id: runId, status: 'done' }, message: { id: 's1' } });
    expect(await bench.storage.queue.list(ANNE, conversation)).toEqual([]);
    const userLines = transcriptLines(await bench.all(conversation)).filter((line) => line.startsWith('user:'));
    expect(userLines).toEqual(['user: Count', 'user: in German']);
  });

  test('is added even if the process crashed before notifying the run, and it is sent again', async () => {
    const { tool, go } = slowTool();
    const model = scriptedModel([calls({ name: 'count' }), says('Zweiundvierzig')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { count: tool } });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Count');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'tool_started'));
    const parts = [{ type: 'text' as const, text: 'in German' }];
    await bench.storage.queue.add(ANNE, { id: 's1', conversationId: conversation, parts, at: 1 });
    await bench.say(conversation, 'in German', { id: 's1', whenBusy: 'steer' });
    go();
    await bench.rest(runId);
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual([
      'user: in German',
      'assistant: Zweiundvierzig',
    ]);
  });

  test('is added once by the process that resumes the run', async () => {
    const folder = temporaryFolder();
    const { tool } = slowTool();
    const first = await openBench(folder, {
      model: scriptedModel([calls({ name: 'count' })]),
      tools: { count: tool },
    });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Count');
    await eventually(() => first.events(runId).some(({ type }) => type === 'tool_started'));
    await first.say(conversation, 'in German', { whenBusy: 'steer' });
    first.die();

    const model = scriptedModel([says('Zweiundvierzig')]);
    const quick = { builtIn: true, call: () => answers('42') };
    const second = await openBench(folder, { model, tools: { count: quick } });
    await eventually(() => second.storage.runs.getRun(ANNE, runId)?.status === 'done');
    const branch = transcriptLines(await second.branch(conversation));
    expect(branch.filter((line) => line === 'user: in German')).toHaveLength(1);
    expect(branch.at(-1)).toBe('assistant: Zweiundvierzig');
  });
});
