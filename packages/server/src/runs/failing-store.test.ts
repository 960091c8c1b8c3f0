import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SentMessage } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import { createFailpoints, eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { endedRunEvents } from './test-fixtures/run-events.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

describe('a full disk', () => {
  test('stops runs without damage and reports an error to the sender; runs resume once there is space', async () => {
    const folder = temporaryFolder();
    const big = 'x'.repeat(50_000);
    const filling = hangsAfter('Begun');
    const first = await openBench(folder, { model: scriptedModel([filling.answer]), maxPages: 130 });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Fill it');
    await eventually(() => first.events(runId).some(({ type }) => type === 'text_delta'));
    filling.go(...Array.from({ length: 20 }, () => big));
    await eventually(() => first.log.some((line) => line.includes('postponed')));
    const sent = first.say(await first.conversation().catch(() => conversation), big.repeat(20));
    await expect(sent).rejects.toMatchObject({ code: 'storage_full' });
    await first.runs.close();
    first.storage.close();

    const bench = await openBench(folder, { model: scriptedModel([says('There is room')]) });
    await bench.rest(runId);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Fill it', 'assistant: There is room']);
    expect(await bench.storage.check()).toEqual({ ok: true });
  });
});

describe('a short storage failure', () => {
  test('costs the attempt, not the run', async () => {
    const failpoints = createFailpoints();
    const hanging = hangsAfter('One');
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([hanging.answer, says('Two')]),
      failpoint: failpoints,
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Hello');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    failpoints.at(
      'run:streaming',
      () => {
        throw new Error('the disk is away');
      },
      { hit: 1 },
    );
    hanging.go('more');
    const events = await bench.rest(runId);
    expect(events.find(({ type }) => type === 'attempt_abandoned')).toMatchObject({ messageId: `${runId}.0` });
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: Two');
  });
});

describe('a short read failure of the storage', () => {
  const createUnreachableError = () => new StorageError('unreachable', { message: 'The database cannot be reached.' });

  test('does not fail a run that is opening its model', async () => {
    let reads = 0;
    const model = scriptedModel([says('Here')]);
    const bench = await openBench(temporaryFolder(), {
      model() {
        if (++reads === 1) throw createUnreachableError();
        return model;
      },
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Hello'));
    expect(reads).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Hello', 'assistant: Here']);
    expect(bench.log.join()).toContain('postponed');
  });

  test('right before a call neither ends the run nor makes the call twice', async () => {
    let reads = 0;
    let made = 0;
    const bench = await openBench(temporaryFolder(), {
      // What was not stored is requested again.
      model: scriptedModel([calls({ name: 'look' }), calls({ name: 'look' }), says('Seen')]),
      tools: { look: { builtIn: true, call: () => answers(`look ${String(++made)}`) } },
      // Permissions are read before the call.
      beforePermissions() {
        if (++reads === 2) throw createUnreachableError();
      },
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Look'));
    expect(reads).toBeGreaterThan(2);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(made).toBe(1);
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual(['tool: look 1', 'assistant: Seen']);
  });

  test('does not drop an image of the conversation from the request', async () => {
    const model = scriptedModel([says('A picture'), says('Still')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    const data = Buffer.alloc(100_000, 7).toString('base64');
    const parts = [{ type: 'image', mimeType: 'image/png', source: { data } } as const];
    vi.spyOn(bench.storage.blobs, 'read').mockRejectedValueOnce(createUnreachableError());
    await bench.rest(await bench.say(conversation, '', { parts }).then(getRun));
    expect(model.requests.map(({ messages }) => messages[0]?.parts)).toEqual([parts]);
  });

  test('while looking up how to continue an answer leaves nothing started', async () => {
    let isAway = false;
    const cut: ScriptedAnswer = [[{ type: 'text', text: 'One,' }], [{ type: 'finish', reason: 'length' }]];
    const model = Object.assign(scriptedModel([cut, says(' two.')]), { canContinue: true });
    const bench = await openBench(temporaryFolder(), {
      model() {
        if (isAway) throw createUnreachableError();
        return model;
      },
    });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Count'));
    isAway = true;
    await expect(bench.runs.continue(ANNE, conversation, {})).rejects.toMatchObject({ code: 'storage_failed' });
    isAway = false;
    expect(await bench.runs.continue(ANNE, conversation, {})).toMatchObject({ how: 'same' });
  });

  test("while counting a server's model requests loses no answer of the user", async () => {
    const model = scriptedModel([calls({ name: 'ask' }), says('Sampled'), says('Done')]);
    const request = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 7 };
    const bench = await openBench(temporaryFolder(), {
      model,
      configuration: { budgets: [{ of: 'conversation', calls: 99 }] },
      tools: {
        ask: {
          builtIn: true,
          call(_args, { onRound, resume }) {
            if (resume) return answers(JSON.stringify(resume.responses));
            const asked = [{ key: 'said', question: { kind: 'sampling' as const, request } }];
            onRound?.({ number: 1, asked, answered: {} });
            const error = { code: 'input_required', message: 'More.' } as const;
            return { content: [], isError: true, outcome: 'not_sent', error };
          },
        },
      },
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Ask');
    await bench.rest(runId);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
    let counts = 0;
    const { usage } = bench.storage;
    const spent = usage.spent.bind(usage);
    vi.spyOn(bench.storage.usage, 'spent').mockImplementation((...of) => {
      // Counted first for the step, then for the server's model request.
      if (++counts === 2) throw createUnreachableError();
      return spent(...of);
    });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'allow' });
    await endedRunEvents(bench, runId);
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual([
      expect.stringMatching(/^tool: .*Sampled/),
      'assistant: Done',
    ]);
  });

  test('while storing model inputs stores them anyway', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Here')]) });
    const put = vi.spyOn(bench.storage.requestPreludes, 'put').mockRejectedValueOnce(createUnreachableError());
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Hello'));
    const request = events.flatMap((event) => (event.type === 'request_made' ? [event.request] : []))[0];
    const kept = (): unknown => bench.storage.requestPreludes.get(ANNE, conversation, request?.prelude ?? '');
    await eventually(async () => (await kept()) !== null);
    expect(put).toHaveBeenCalledTimes(2);
  });

  test('while a call reads its stored state does not make its outcome unknown', async () => {
    let looks = 0;
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'look' }), says('Seen')]),
      tools: {
        look: {
          builtIn: true,
          call() {
            if (++looks === 1) throw createUnreachableError();
            return answers('there');
          },
        },
      },
    });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, 'Look'));
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual(['tool: there', 'assistant: Seen']);
  });
});

function getRun(sent: SentMessage): string {
  if ('queued' in sent) throw new Error('the message was queued');
  return sent.run.id;
}

describe('large content', () => {
  test('is stored as a file, and events keep their order', async () => {
    const data = Buffer.alloc(200_000, 3).toString('base64');
    const image = { type: 'image' as const, mimeType: 'image/png', source: { data } };
    const model = scriptedModel([calls({ name: 'draw' }, { name: 'quick' }), says('Nice')]);
    const bench = await openBench(temporaryFolder(), {
      model,
      tools: {
        draw: { builtIn: true, call: () => ({ content: [image], isError: false, outcome: 'done' }) },
        quick: { builtIn: true, call: () => answers('quick') },
      },
    });
    const conversation = await bench.conversation();
    const runId = await bench.ask(conversation, 'Draw');
    const events = await bench.rest(runId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.result.content[0]] : []));
    expect(results).toMatchObject([{ source: { blob: expect.any(String) as string } }, { text: 'quick' }]);
    const [drawn] = (await bench.branch(conversation)).filter(({ role }) => role === 'tool');
    expect(JSON.stringify(drawn).length).toBeLessThan(2_000);
    expect(JSON.stringify(bench.storage.runs.readLedger(ANNE, runId)).length).toBeLessThan(4_000);
    // In this run the model sees the image itself.
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(data);
  });
});

describe('surrogate halves', () => {
  test('are joined before they are stored', async () => {
    const letter = '𝒳';
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([says(`a${letter[0]}`, `${letter[1]}b`)]),
    });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    const events = await bench.rest(runId);
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
    expect(deltas.join('')).toBe(`a${letter}b`);
    for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
  });
});

describe('many runs', () => {
  test('two hundred in parallel all complete', async () => {
    const wordList = Array.from({ length: 20 }, (_none, index) => `${index} `);
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel(
        () =>
          async function* () {
            for (const text of wordList) {
              yield [{ type: 'text', text }];
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
            yield [{ type: 'finish', reason: 'stop' }];
          },
      ),
    });
    const runIds = await Promise.all(
      Array.from({ length: 200 }, async () => bench.ask(await bench.conversation(), 'Count')),
    );
    for (const runId of runIds) {
      const events = await bench.rest(runId);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
      expect(text).toBe(wordList.join(''));
    }
  });
});
