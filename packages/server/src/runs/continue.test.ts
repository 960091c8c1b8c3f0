import { afterEach, describe, expect, test } from 'vitest';
import type { StreamPart } from '@toolyard/model-runtime';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { endedRunEvents } from './test-fixtures/run-events.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const FINISHES = {
  length: { type: 'finish', reason: 'length' },
  error: { type: 'error', error: { code: 'network', message: 'The line is dead.' } },
} as const satisfies Record<string, StreamPart>;

function cut(text: string, how: keyof typeof FINISHES): ScriptedAnswer {
  return [[{ type: 'text', text }], [FINISHES[how]]];
}

describe('continuing after a cut', () => {
  test('extends the answer if the model supports it, as another version with the same beginning', async () => {
    const model = Object.assign(scriptedModel([cut('One, two, ', 'length'), says(' three.')]), { canContinue: true });
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Count'));
    const { run, how } = await bench.runs.continue(ANNE, conversation, {});
    const events = await bench.rest(run.id);

    expect(how).toBe('same');
    expect(model.requests[1]).toMatchObject({ continues: true });
    expect(transcriptLines(model.requests[1]?.messages ?? [])).toEqual(['user: Count', 'assistant: One, two,']);
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Count', 'assistant: One, two, three.']);
    const streamed = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
    expect(streamed).toBe('One, two, three.');
    expect(await bench.all(conversation)).toHaveLength(3);
  });

  test('extends the answer also after a budget was raised', async () => {
    const model = Object.assign(scriptedModel([cut('One, two, ', 'length'), says(' three.')]), { canContinue: true });
    const folder = temporaryFolder();
    const configuration = { budgets: [{ of: 'conversation' as const, calls: 1 }] };
    const bench = await openBench(folder, { model, configuration });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Count'));
    const { run } = await bench.runs.continue(ANNE, conversation, {});
    await bench.rest(run.id);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId: run.id, limit: 9 });
    expect(asked?.interrupt).toMatchObject({ kind: 'budget', measure: 'calls' });
    expect(model.requests).toHaveLength(1);

    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'raise', limit: 9 });
    await endedRunEvents(bench, run.id);
    expect(model.requests[1]).toMatchObject({ continues: true });
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Count', 'assistant: One, two, three.']);
  });

  test.each(['length', 'error'] as const)(
    'adds a new message if the model does not support it, after %s',
    async (how) => {
      const model = scriptedModel([cut('One, two,', how), says('three.')]);
      const bench = await openBench(temporaryFolder(), { model });
      const conversation = await bench.conversation();
      await bench.rest(await bench.ask(conversation, 'Count'));
      const { run, how: method } = await bench.runs.continue(ANNE, conversation, {});
      await bench.rest(run.id);

      expect(method).toBe('new');
      const sent = transcriptLines(model.requests[1]?.messages ?? []);
      expect(sent).toHaveLength(3);
      expect(sent[2]).toContain('cut off');
      expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: three.');
      expect(await bench.branch(conversation)).toHaveLength(3);
    },
  );

  test('regenerates an answer without content', async () => {
    const model = scriptedModel([[[FINISHES.error]], says('Hello')]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Hi'));
    const { run, how } = await bench.runs.continue(ANNE, conversation, {});
    await bench.rest(run.id);
    expect(how).toBe('answer');
    expect(transcriptLines(await bench.branch(conversation))).toEqual(['user: Hi', 'assistant: Hello']);
  });

  test('requests the model again if the last message is a tool result', async () => {
    const model = scriptedModel([calls({ name: 'count' }), [[FINISHES.error]], says('It is 42')]);
    const tools = { count: { builtIn: true, call: () => answers('42') } };
    const bench = await openBench(temporaryFolder(), { model, tools });
    const conversation = await bench.conversation();
    await bench.rest(await bench.ask(conversation, 'Count'));
    const { run } = await bench.runs.continue(ANNE, conversation, {});
    await bench.rest(run.id);
    expect(transcriptLines(await bench.branch(conversation)).slice(-2)).toEqual(['tool: 42', 'assistant: It is 42']);
    expect(transcriptLines(model.requests[2]?.messages ?? [])).toHaveLength(3);
  });

  test('is rejected if nothing was cut off, or newer messages exist', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Whole')]) });
    const conversation = await bench.conversation();
    await expect(bench.runs.continue(ANNE, conversation, {})).rejects.toMatchObject({ code: 'bad_request' });
    await bench.rest(await bench.ask(conversation, 'Hi'));
    await expect(bench.runs.continue(ANNE, conversation, {})).rejects.toMatchObject({ code: 'bad_request' });
    const old = { messageId: 'some-other' };
    await expect(bench.runs.continue(ANNE, conversation, old)).rejects.toMatchObject({ code: 'conflict' });
    expect(bench.storage.runs.listRuns(ANNE, { limit: 9 })).toHaveLength(1);
  });
});
