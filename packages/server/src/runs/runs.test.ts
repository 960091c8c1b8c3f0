import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '@toolyard/testing';
import { ANNE, answers, BERT, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { eventTypes } from './test-fixtures/run-events.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

describe('sending a message', () => {
  test('stores the answer: events without gaps, all messages, the answer as the leaf', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Hel', 'lo')]) });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Good morning\nto you');
    const events = await bench.rest(runId);

    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(eventTypes(events)[0]).toBe('run_started');
    expect(eventTypes(events).at(-1)).toBe('run_finished');
    const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
    expect(text).toBe('Hello');
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Good morning\nto you',
      'assistant: Hello',
    ]);
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({ id: `${runId}.0`, finishReason: 'stop' });
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'done', lastSeq: events.length });
    expect(await bench.storage.conversations.get(ANNE, conversation)).toMatchObject({ title: 'Good morning' });
  });

  test('recovers nothing: the calls and the inbox of the new run are not read', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Hello')]) });
    const reads = (['readLedger', 'readInbox'] as const).map((name) => vi.spyOn(bench.storage.runs, name));
    await bench.rest(await bench.ask(await bench.conversation(), 'Hello'));
    for (const read of reads) expect(read).not.toHaveBeenCalled();
  });

  test('shows a pending answer at once', async () => {
    const hanging = hangsAfter('Well');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hello');
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({ id: `${runId}.0`, finishReason: 'pending' });
    hanging.go();
    await bench.rest(runId);
  });

  test('is the source of a title, shortened with an ellipsis, until the user chooses one: also if it is edited', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('a'), says('b'), says('c')]) });
    const conversation = await bench.conversation();
    const titled = async (): Promise<string | undefined> =>
      (await bench.storage.conversations.get(ANNE, conversation))?.title;
    await bench.rest(await bench.ask(conversation, `${'word '.repeat(20)}end`));
    expect(await titled()).toBe(`${'word '.repeat(12).trim()}…`);
    const edited = await bench.say(conversation, 'Another question', { parentId: null });
    if ('queued' in edited) throw new Error('queued');
    await bench.rest(edited.run.id);
    expect(await titled()).toBe('Another question');
    await bench.storage.conversations.update(ANNE, conversation, { title: 'Mine' });
    const again = await bench.say(conversation, 'A third one', { parentId: null });
    if ('queued' in again) throw new Error('queued');
    await bench.rest(again.run.id);
    expect(await titled()).toBe('Mine');
  });

  test('again under the same id starts no second run', async () => {
    const model = scriptedModel([says('Once')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const first = await bench.say(conversation, 'Hello', { id: 'm1' });
    await bench.rest('m1');
    const second = await bench.say(conversation, 'Hello', { id: 'm1' });
    expect(first).toMatchObject({ run: { id: 'm1' } });
    expect(second).toMatchObject({ run: { id: 'm1', status: 'done' }, message: { id: 'm1' } });
    expect(model.requests).toHaveLength(1);
    expect(bench.storage.runs.listRuns(ANNE, { limit: 9 })).toHaveLength(1);
  });

  test('adds the instructions first, which are not a message', async () => {
    const model = scriptedModel([says('Yes')]);
    const bench = await openBench(temporaryFolder(), { model, configuration: { instructions: 'Be brief.' } });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Are you?'));
    expect(transcriptLines(model.requests[0]?.messages ?? [])).toEqual(['system: Be brief.', 'user: Are you?']);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Are you?', 'assistant: Yes']);
  });

  test('with an image: its bytes are in the blob store, and in the model request', async () => {
    const model = scriptedModel([says('A picture'), says('Still')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const data = Buffer.alloc(100_000, 7).toString('base64');
    const parts = [{ type: 'image', mimeType: 'image/png', source: { data } } as const];
    const sent = await bench.runs.send(ANNE, conversation, { parts });
    if (!('run' in sent)) throw new Error('queued');
    expect(sent.message.parts[0]).toMatchObject({ source: { blob: expect.any(String) as string } });
    await bench.rest(sent.run.id);
    await bench.rest(await bench.ask(conversation, 'And now?'));
    for (const { messages } of model.requests) expect(messages[0]?.parts).toEqual(parts);
  });

  test('to a model whose provider was deleted: the run fails with a reason, and nothing stays pending', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([]),
      configuration: { model: { providerId: 'gone', modelId: 'x' } },
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Hello'));
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'failed', error: { code: 'model_not_found' } });
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({
      finishReason: 'error',
      parts: [{ type: 'error', error: { message: 'The provider "gone" is not there.' } }],
    });
  });

  test('is invisible to other users', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Mine')]) });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hello');
    await bench.rest(runId);
    const signal = new AbortController().signal;
    expect(await bench.streams.readRun(BERT, runId, 0, signal)).toBeNull();
    await expect(bench.runs.cancel(BERT, runId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(bench.runs.send(BERT, conversation, { parts: [] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bench.runs.regenerate(BERT, conversation, { messageId: `${runId}.0` })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('other branches', () => {
  test('an edited message starts one, and a regenerated answer is another beside the first', async () => {
    const model = scriptedModel([says('A1'), says('A2'), says('B')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const first = await bench.ask(conversation, 'One');
    await bench.rest(first);
    const { run } = await bench.runs.regenerate(ANNE, conversation, { messageId: `${first}.0` });
    await bench.rest(run.id);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: One', 'assistant: A2']);
    const edited = await bench.say(conversation, 'Two', { parentId: null });
    if (!('run' in edited)) throw new Error('queued');
    await bench.rest(edited.run.id);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Two', 'assistant: B']);
    expect(model.requests.map(({ messages }) => transcriptLines(messages))).toEqual([
      ['user: One'],
      ['user: One'],
      ['user: Two'],
    ]);
    expect(await bench.all(conversation)).toHaveLength(5);
  });

  test('a user who views another branch is not moved by the answer', async () => {
    const hanging = hangsAfter('A');
    const model = scriptedModel([says('Old'), calls({ name: 'look' }), hanging.answer]);
    const tools = { look: { builtIn: true, call: () => answers('seen') } };
    const bench = await openBench(temporaryFolder(), { model, tools });
    const conversation = await bench.conversation();
    const first = await bench.ask(conversation, 'One');
    await bench.rest(first);
    const second = await bench.ask(conversation, 'Two');
    await eventually(() => model.requests.length === 3);
    await bench.storage.conversations.setLeaf(ANNE, conversation, `${first}.0`);
    hanging.go('B');
    await bench.rest(second);
    expect(await bench.storage.conversations.get(ANNE, conversation)).toMatchObject({ leafId: `${first}.0` });
  });
});

describe('cancel', () => {
  test('keeps the output so far', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hangsAfter('Half a ').answer]) });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hello');
    await eventually(() => eventTypes(bench.events(runId)).includes('text_delta'));
    await bench.runs.cancel(ANNE, runId);
    const events = await bench.rest(runId);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
    expect((await bench.branch(conversation)).at(-1)).toMatchObject({
      finishReason: 'cancelled',
      parts: [{ type: 'text', text: 'Half a ' }],
    });
    expect(await bench.runs.cancel(ANNE, runId)).toMatchObject({ status: 'cancelled' });
  });

  test('during a tool call: the call is stopped and gets a result', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'wait' }), says('Next')]),
      tools: {
        wait: {
          builtIn: true,
          call: (_args, { signal }) =>
            new Promise((resolve) => {
              signal?.addEventListener('abort', () =>
                resolve({ content: [{ type: 'text', text: 'stopped' }], isError: true, outcome: 'unknown' }),
              );
            }),
        },
      },
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Wait');
    await eventually(() => eventTypes(bench.events(runId)).includes('tool_started'));
    await bench.runs.cancel(ANNE, runId);
    await bench.rest(runId);
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('tool: stopped');
    expect(bench.storage.runs.readLedger(ANNE, runId)?.[0]).toMatchObject({ status: 'in_doubt' });
    await bench.rest(await bench.ask(conversation, 'Go on'));
  });
});

describe('messages sent during a run', () => {
  test('are queued in order, can be changed, and are sent one after the other', async () => {
    const first = hangsAfter('1');
    const model = scriptedModel([first.answer, says('2'), says('3')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    await bench.ask(conversation, 'One');
    expect(await bench.say(conversation, 'Two', { id: 'q2' })).toMatchObject({ queued: { id: 'q2' } });
    expect(await bench.say(conversation, 'Two', { id: 'q2' })).toMatchObject({ queued: { id: 'q2' } });
    await bench.say(conversation, 'Three', { id: 'q3' });
    await bench.say(conversation, 'Never', { id: 'q4' });
    await bench.runs.changeQueued(ANNE, conversation, 'q3', { before: 'q2', parts: [{ type: 'text', text: 'Drei' }] });
    await bench.runs.removeQueued(ANNE, conversation, 'q4');
    await expect(bench.runs.removeQueued(ANNE, conversation, 'q4')).rejects.toMatchObject({ code: 'not_found' });
    first.go();
    await eventually(() => model.requests.length === 3);
    await bench.rest('q2');
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: One',
      'assistant: 1',
      'user: Drei',
      'assistant: 2',
      'user: Two',
      'assistant: 3',
    ]);
    expect(await bench.storage.queue.list(ANNE, conversation)).toEqual([]);
  });

  test('keep their own configuration, also across a restart', async () => {
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([hangsAfter('1').answer]) });
    const conversation = await first.conversation();
    await first.ask(conversation, 'One');
    const configuration = { instructions: 'Rhyme.', limits: { maxTurns: 3 } };
    expect(await first.say(conversation, 'Two', { id: 'q2', configuration })).toMatchObject({
      queued: { configuration },
    });
    await first.say(conversation, 'Three', { id: 'q3' });
    first.die();

    const model = scriptedModel([says('1'), says('2'), says('3')]);
    const bench = await openBench(folder, { model });
    await eventually(() => bench.storage.runs.getRun(ANNE, 'q3') !== null);
    await bench.rest('q3');
    expect(model.requests.map(({ messages }) => transcriptLines(messages)[0])).toEqual([
      'user: One',
      'system: Rhyme.',
      'user: One',
    ]);
  });

  test('stay queued after a cancelled run', async () => {
    const model = scriptedModel([hangsAfter('1').answer, says('2')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'One');
    await eventually(() => model.requests.length === 1);
    await bench.say(conversation, 'Two', { id: 'q2' });
    await bench.runs.cancel(ANNE, runId);
    await bench.rest(runId);
    expect(await bench.storage.queue.list(ANNE, conversation)).toHaveLength(1);
    await bench.runs.sendQueued(ANNE, conversation, 'q2');
    await bench.rest('q2');
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: 2');
  });

  test('interrupt: the run is cancelled and this message is sent first', async () => {
    const model = scriptedModel([hangsAfter('1').answer, says('now'), says('later')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'One');
    await eventually(() => model.requests.length === 1);
    await bench.say(conversation, 'Later', { id: 'q2' });
    await bench.say(conversation, 'Now', { id: 'q3', whenBusy: 'interrupt' });
    await bench.rest(runId);
    await eventually(async () => (await bench.storage.queue.list(ANNE, conversation)).length === 0);
    await bench.rest('q3');
    await bench.rest('q2');
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'cancelled' });
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual([
      'user: Now',
      'assistant: now',
      'user: Later',
      'assistant: later',
    ]);
  });

  test('refuse, edits and regenerating are a conflict', async () => {
    const hanging = hangsAfter('1');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'One');
    const conflict = { code: 'conflict' };
    await expect(bench.say(conversation, 'Two', { whenBusy: 'refuse' })).rejects.toMatchObject(conflict);
    await expect(bench.say(conversation, 'Two', { parentId: null })).rejects.toMatchObject(conflict);
    await expect(bench.runs.regenerate(ANNE, conversation, { messageId: `${runId}.0` })).rejects.toMatchObject(
      conflict,
    );
    hanging.go();
    await bench.rest(runId);
  });
});

describe('attack 24: signatures of reasoning', () => {
  test('are sent back to the model unchanged, across calls, messages and a restart; a partial one is not', async () => {
    const signature = `${'EuYB+/Cg=='.repeat(300)} ü "quoted"`;
    const thought: ScriptedAnswer = [
      [{ type: 'reasoning', text: 'Hm.' }],
      [{ type: 'reasoning_signature', signature }],
      [{ type: 'tool_call', index: 0, name: 'look', arguments: {}, argumentsText: '{}' }],
      [{ type: 'finish', reason: 'tool_calls' }],
    ];
    const half: ScriptedAnswer = async function* (_request, signal) {
      yield [{ type: 'reasoning', text: 'Half a thought' }];
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError'))),
      );
    };
    const tools = { look: { builtIn: true, call: () => answers('seen') } };
    const folder = temporaryFolder();
    const first = await openBench(folder, { model: scriptedModel([thought, half]), tools });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Think');
    await eventually(() => eventTypes(first.events(runId)).filter((type) => type === 'reasoning_delta').length === 2);
    first.die();

    const model = scriptedModel([says('Done'), says('Fine')]);
    const bench = await openBench(folder, { model, tools });
    await bench.rest(runId);
    await bench.rest(await bench.ask(conversation, 'And now?'));
    expect(model.requests).toHaveLength(2);
    for (const { messages } of model.requests) {
      const thoughts = messages.flatMap((message) => message.parts.filter((part) => part.type === 'reasoning'));
      expect(thoughts).toEqual([{ type: 'reasoning', text: 'Hm.', signature }]);
    }
  });
});

describe('attack 10: runs of other users', () => {
  test('are not returned for a message with the same id, nor continued by a message that follows theirs', async () => {
    const hanging = hangsAfter('secret');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const runId = await bench.ask(await bench.conversation('of-anne'), 'secret words');
    const own = await bench.conversation('of-bert', BERT);
    const parts = [{ type: 'text' as const, text: 'mine' }];
    for (const [conversation, more] of [
      [own, { id: runId }],
      [own, { parentId: runId }],
      ['of-anne', {}],
      ['of-anne', { id: runId }],
      ['of-anne', { whenBusy: 'interrupt' as const }],
    ] as const) {
      const submission = bench.runs.send(BERT, conversation, { parts, ...more }).then(
        (sent) => JSON.stringify(sent),
        (error: unknown) => error,
      );
      expect(await submission).toMatchObject({ code: expect.stringMatching(/^(bad_request|not_found)$/) as string });
    }
    await expect(bench.runs.cancel(BERT, runId)).rejects.toMatchObject({ code: 'not_found' });
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'running' });
    expect(await bench.storage.messages.all(BERT, own)).toEqual([]);
    expect(await bench.storage.queue.list(ANNE, 'of-anne')).toEqual([]);
    hanging.go();
    await bench.rest(runId);
  });
});
