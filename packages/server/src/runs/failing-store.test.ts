import { afterEach, describe, expect, test } from 'vitest';
import { createFailpoints, eventually } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, told } from './test-fixtures/bench.ts';
import { calls, hangsAfter, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

describe('a disk that is full', () => {
  test('stops the runs without damage; the sender is told, and with room the run goes on', async () => {
    const folder = temporaryFolder();
    const big = 'x'.repeat(50_000);
    const filling = hangsAfter('Begun');
    const first = await openBench(folder, { model: scriptedModel([filling.answer]), maxPages: 130 });
    const conversation = await first.conversation();
    const runId = await first.ask(conversation, 'Fill it');
    await eventually(() => first.events(runId).some(({ type }) => type === 'text_delta'));
    filling.go(...Array.from({ length: 20 }, () => big));
    await eventually(() => first.log.some((line) => line.includes('left for later')));
    const sent = first.say(await first.conversation().catch(() => conversation), big.repeat(20));
    await expect(sent).rejects.toMatchObject({ code: 'storage_full' });
    await first.runs.close();
    first.storage.close();

    const bench = await openBench(folder, { model: scriptedModel([says('There is room')]) });
    await bench.rest(runId);
    expect(told(await bench.branch(conversation))).toEqual(['user: Fill it', 'assistant: There is room']);
    expect(await bench.storage.check()).toEqual({ ok: true });
  });
});

describe('a store that fails for a moment', () => {
  test('costs the attempt and not the run', async () => {
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
    expect(told(await bench.branch(conversation)).at(-1)).toBe('assistant: Two');
  });
});

describe('what is large', () => {
  test('goes to the blob store, and nothing overtakes it', async () => {
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
    // In this run the model sees the picture itself.
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(data);
  });
});

describe('half letters', () => {
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
  test('two hundred at once are all answered whole', async () => {
    const words = Array.from({ length: 20 }, (_none, index) => `${index} `);
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel(
        () =>
          async function* () {
            for (const text of words) {
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
      expect(text).toBe(words.join(''));
    }
  });
});
