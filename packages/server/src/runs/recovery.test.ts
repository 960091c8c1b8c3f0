import { afterEach, describe, expect, test } from 'vitest';
import type { AssistantMessage, RunEvent } from '@toolyard/protocol';
import { createFailpoints, eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';
import { actTool, allowAct, killAt } from './test-fixtures/killed-run.ts';
import { endedRunEvents, eventTypes } from './test-fixtures/run-events.ts';

afterEach(cleanUp);

/** The messages of a reader that applies the events. */
function applied(events: readonly RunEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'text_delta') texts.set(event.messageId, (texts.get(event.messageId) ?? '') + event.text);
  }
  return texts;
}

describe('a run whose process crashed', () => {
  test('before its first step is executed by the next process', async () => {
    const { folder, runId, conversation } = await killAt('run:created', []);
    const bench = await openBench(folder, { model: scriptedModel([says('Here')]) });
    const events = await endedRunEvents(bench, runId);
    expect(eventTypes(events)).not.toContain('attempt_abandoned');
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Do it', 'assistant: Here']);
  });

  test('during an answer: a new attempt follows, and the partial answer is marked', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('Once upon ', 'a ti').answer]) });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Tell');
    await eventually(() => applied(first.events(runId)).get(`${runId}.0`) === 'Once upon a ti');
    first.die();

    const again = hangsAfter('Once ');
    const model = scriptedModel([again.answer]);
    const bench = await openBench(folder, { model });
    await eventually(() => model.requests.length === 1);
    const shown = (await bench.branch(conversation)).at(-1);
    expect(shown).toMatchObject({ id: `${runId}.0~2`, finishReason: 'pending' });
    again.go('more');
    const events = await endedRunEvents(bench, runId);
    expect(events.find(({ type }) => type === 'attempt_abandoned')).toMatchObject({
      messageId: `${runId}.0`,
      step: 0,
      attempt: 1,
    });
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Tell', 'assistant: Once more']);
    const abandoned = (await bench.all(conversation)).find(({ id }) => id === `${runId}.0`) as AssistantMessage;
    expect(abandoned).toMatchObject({
      finishReason: 'abandoned',
      parts: [{ type: 'text', text: 'Once upon a ti' }],
    });
    expect(transcriptLines(model.requests[0]?.messages ?? [])).toEqual(['user: Tell']);
    expect([...applied(events)]).toEqual([
      [`${runId}.0`, 'Once upon a ti'],
      [`${runId}.0~2`, 'Once more'],
    ]);
  });

  test('twice during an answer: every attempt is kept as its own message', async () => {
    const folder = temporaryFolder();
    let conversation = '';
    let runId = '';
    for (const attempt of [1, 2]) {
      const bench = await openBench(folder, { model: scriptedModel([hangsAfter(`try ${attempt}`).answer]) });
      if (attempt === 1) {
        conversation = await bench.conversation();
        runId = await bench.ask(conversation, 'Tell');
      }
      const id = attempt === 1 ? `${runId}.0` : `${runId}.0~2`;
      await eventually(() => applied(bench.events(runId)).get(id) === `try ${attempt}`);
      bench.die();
    }
    const bench = await openBench(folder, { model: scriptedModel([says('third')]) });
    await endedRunEvents(bench, runId);
    expect(transcriptLines(await bench.all(conversation)).toSorted()).toEqual([
      'assistant: third',
      'assistant: try 1',
      'assistant: try 2',
      'user: Tell',
    ]);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Tell', 'assistant: third']);
  });

  test('after a call was answered continues without repeating the call', async () => {
    const script = [calls({ name: 'act' }), says('never said')];
    let acted = 0;
    const options = { builtIn: true, tool: () => acted++, hit: 2 };
    const { folder, runId, conversation } = await killAt('run:stepped', script, options);
    const model = scriptedModel([says('Done')]);
    const bench = await openBench(folder, { model, tools: { act: actTool(() => acted++, true) } });
    const events = await endedRunEvents(bench, runId);
    expect(acted).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(eventTypes(events).filter((type) => type === 'tool_finished')).toHaveLength(1);
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Do it',
      'assistant: <tool_call>',
      'tool: acted',
      'assistant: Done',
    ]);
  });

  test('before a call was sent: the model is asked again, the call is made once, without an interrupt', async () => {
    let acted = 0;
    const script = [calls({ name: 'act' })];
    const options = { builtIn: true, tool: () => acted++ };
    const { folder, runId, conversation } = await killAt('run:planned', script, options);
    expect(acted).toBe(0);
    const bench = await openBench(folder, {
      model: scriptedModel([...script, says('Done')]),
      tools: { act: actTool(() => acted++, true) },
    });
    const events = await endedRunEvents(bench, runId);
    expect(acted).toBe(1);
    expect(eventTypes(events)).not.toContain('run_parked');
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: Done');
  });

  test('after one of two calls returned: it is not repeated, and reported once', async () => {
    const folder = temporaryFolder();
    const acts: string[] = [];
    let end = (): void => {};
    const tools = {
      quick: { builtIn: true, call: () => (acts.push('quick'), answers('quick')) },
      slow: {
        builtIn: true,
        call: () => (
          acts.push('slow'),
          new Promise<never>((_resolve, reject) => (end = () => reject(new Error('dead'))))
        ),
      },
    };
    const model = scriptedModel([calls({ name: 'quick' }, { name: 'slow' })]);
    const first = await openBench(folder, { model, tools });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Both');
    await eventually(() => eventTypes(first.events(runId)).includes('tool_finished'));
    first.die();
    end();
    const bench = await openBench(folder, {
      model: scriptedModel([says('Done')]),
      tools: { ...tools, slow: { builtIn: true, call: () => (acts.push('slow'), answers('slow')) } },
    });
    const events = await endedRunEvents(bench, runId);
    expect(acts).toEqual(['quick', 'slow', 'slow']);
    expect(eventTypes(events).filter((type) => type === 'tool_finished')).toHaveLength(2);
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual([
      'tool: quick',
      'tool: slow',
      'assistant: Done',
    ]);
  });

  test('after one of two calls returned, the other in doubt: the reported result is the stored one', async () => {
    const folder = temporaryFolder();
    let end = (): void => {};
    const tools = {
      quick: { call: () => answers('quick') },
      slow: { call: () => new Promise<never>((_resolve, reject) => (end = () => reject(new Error('dead')))) },
    };
    const model = scriptedModel([calls({ name: 'quick' }, { name: 'slow' })]);
    const first = await openBench(folder, { model, tools });
    for (const name of ['quick', 'slow']) {
      const tool = { serverId: 'desk', name };
      await first.storage.permissions.set(ANNE, { tool, conversationId: null, decision: 'allow', at: 1 });
    }
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Both');
    await eventually(() => eventTypes(first.events(runId)).includes('tool_finished'));
    first.die();
    end();
    const bench = await openBench(folder, { model: scriptedModel([says('Done')]), tools });
    await bench.rest(runId);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'failed' });
    const events = await endedRunEvents(bench, runId);
    const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.message] : []));
    expect(results).toEqual((await bench.branch(conversation)).filter(({ role }) => role === 'tool'));
    expect(results).toHaveLength(2);
  });

  test('parked, and answered since: it continues with the answer', async () => {
    const folder = temporaryFolder();
    let acted = 0;
    const tools = { act: actTool(() => acted++) };
    const first = await openBench(folder, { model: scriptedModel([calls({ name: 'act' })]), tools });
    const runId = await first.ask(await first.conversation(), 'Do it');
    await first.rest(runId);
    const [asked] = first.storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
    // The answer is stored, and the process crashes before it acts on it.
    first.storage.runs.answerInterrupt(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' }, 1);
    first.die();
    const bench = await openBench(folder, { model: scriptedModel([says('Done')]), tools });
    await endedRunEvents(bench, runId);
    expect(acted).toBe(1);
  });

  test('with a pending cancellation: it is cancelled and its output kept', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('Some').answer]) });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Tell');
    await eventually(() => applied(first.events(runId)).size > 0);
    first.storage.runs.putInbox(ANNE, runId, { id: 'cancel', kind: 'cancel', body: {}, at: 1 });
    first.die();
    const model = scriptedModel([]);
    const bench = await openBench(folder, { model });
    const events = await endedRunEvents(bench, runId);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
    expect(model.requests).toHaveLength(0);
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({
      id: `${runId}.0`,
      finishReason: 'cancelled',
      parts: [{ type: 'text', text: 'Some' }],
    });
  });

  test('cancelled for a queued message: the message is sent', async () => {
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    const model = scriptedModel([hangsAfter('Some').answer]);
    const first = await openBench(folder, { model, failpoint: failpoints });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Tell');
    await eventually(() => model.requests.length === 1);
    await first.say(conversation, 'Other', { id: 'q1' });
    failpoints.at('run:finished', () => first.die());
    await first.say(conversation, 'Now', { id: 'q2', whenBusy: 'interrupt' }).catch(() => {});
    await eventually(() => failpoints.passed.includes('run:finished'));
    await first.runs.close();
    const bench = await openBench(folder, { model: scriptedModel([says('now'), says('other')]) });
    await eventually(async () => (await bench.storage.queue.list(ANNE, conversation)).length === 0);
    await endedRunEvents(bench, 'q1');
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'cancelled' });
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual([
      'user: Now',
      'assistant: now',
      'user: Other',
      'assistant: other',
    ]);
  });

  test('completed with a queued message: the message is sent', async () => {
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    const hanging = hangsAfter('1');
    const first = await openBench(folder, { model: scriptedModel([hanging.answer]), failpoint: failpoints });
    const conversation = await first.conversation();
    await first.ask(conversation, 'One');
    await first.say(conversation, 'Two', { id: 'q2' });
    failpoints.at('run:finished', () => first.die());
    hanging.go();
    await eventually(() => failpoints.passed.includes('run:finished'));
    await first.runs.close();
    const bench = await openBench(folder, { model: scriptedModel([says('2')]) });
    await endedRunEvents(bench, 'q2');
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: 2');
  });

  test('with an unreadable state: it fails with an explanation, and the conversation remains usable', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('Some').answer]) });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Tell');
    await eventually(() => applied(first.events(runId)).size > 0);
    await first.runs.close();
    const [leased] = first.storage.runs.claimExpired({ owner: 'other', ms: 1_000 }, 1);
    if (!leased) throw new Error('not let go');
    const { fence, lastSeq: baseSeq } = leased;
    const state = { ...(leased.state as object), point: { state: { schemaVersion: 'no' }, context: {} } };
    first.storage.runs.commit([{ runId, fence, baseSeq, events: [], state, durability: 'normal', release: true }]);
    first.die();
    const bench = await openBench(folder, { model: scriptedModel([says('Fresh')]) });
    const events = await endedRunEvents(bench, runId);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'failed', error: { code: 'internal' } });
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({ finishReason: 'error' });
    await endedRunEvents(bench, await bench.ask(conversation, 'Again'));
  });
});

describe('a process that shuts down', () => {
  test('stops in the middle of an answer; the next process continues, nothing is cancelled', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('Half').answer]) });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Tell');
    await eventually(() => applied(first.events(runId)).size > 0);
    await first.runs.close();
    expect(first.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'running' });
    await expect(first.say(conversation, 'More')).rejects.toMatchObject({ code: 'conflict' });
    first.storage.close();
    const bench = await openBench(folder, { model: scriptedModel([says('Whole')]) });
    await endedRunEvents(bench, runId);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Tell', 'assistant: Whole']);
  });

  test('waits for a call in progress and stores its result, but sends no further model request', async () => {
    const folder = temporaryFolder();
    let finish = (): void => {};
    const tools = {
      act: {
        call: () => new Promise<ReturnType<typeof answers>>((resolve) => (finish = () => resolve(answers('acted')))),
      },
    };
    const model = scriptedModel([calls({ name: 'act' })]);
    const first = await openBench(folder, { model, tools });
    await allowAct(first);
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Do it');
    await eventually(() => first.storage.runs.readLedger(ANNE, runId)?.[0]?.status === 'sent');
    const closed = first.runs.close();
    finish();
    await closed;
    expect(model.requests).toHaveLength(1);
    expect(first.storage.runs.readLedger(ANNE, runId)?.[0]?.status).toBe('done');
    first.storage.close();
    const bench = await openBench(folder, { model: scriptedModel([says('Done')]), tools });
    const events = await endedRunEvents(bench, runId);
    expect(eventTypes(events)).not.toContain('attempt_abandoned');
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual(['tool: acted', 'assistant: Done']);
  });

  test('sends no further calls; the next process does, without asking whether they were made', async () => {
    const folder = temporaryFolder();
    const failpoints = createFailpoints();
    let acted = 0;
    const tools = { act: actTool(() => acted++) };
    let writing = (): void | Promise<void> => undefined;
    const first = await openBench(folder, {
      model: scriptedModel([calls({ name: 'act' })]),
      tools,
      failpoint: failpoints,
      beforeCommit: () => writing(),
    });
    await allowAct(first);
    const conversation = await first.conversation();
    const stopped = Promise.withResolvers<void>();
    failpoints.at('run:planned', async () => {
      const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      writing = () => {
        begun.resolve();
        return rest.promise;
      };
      await begun.promise;
      // The process is asked to stop during a commit, right before the call is sent.
      stopped.resolve(first.runs.close());
      setImmediate(rest.resolve);
    });
    const runId = await first.ask(conversation, 'Do it');
    await stopped.promise;
    expect(first.storage.runs.readLedger(ANNE, runId)).toMatchObject([{ status: 'planned' }]);
    expect(acted).toBe(0);
    first.storage.close();
    const bench = await openBench(folder, { model: scriptedModel([says('Done')]), tools });
    expect(eventTypes(await endedRunEvents(bench, runId))).not.toContain('run_parked');
    expect(acted).toBe(1);
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual(['tool: acted', 'assistant: Done']);
  });
});
