import { afterEach, describe, expect, test } from 'vitest';
import type { ChatRequest, StreamPart } from '@toolyard/model-runtime';
import { loadSentRequest } from './read/sent-request.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import type { ScriptedAnswer } from './test-fixtures/scripted-model.ts';
import { calls, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** About a thousand tokens. */
const LONG = 'word '.repeat(800);

/** Without usage, so that all token counts are estimates. */
function answersWithoutUsage(text: string): ScriptedAnswer {
  return [[{ type: 'text', text }], [{ type: 'finish', reason: 'stop' }]];
}

const isSummary = ({ messages }: ChatRequest): boolean =>
  transcriptLines(messages)[0]?.includes('You summarize') === true;

describe('a conversation that exceeds the context window', () => {
  test('is compacted at 80 % of the window; old messages are kept, and later requests contain the summary', async () => {
    const model = scriptedModel((index) =>
      index === 3 ? answersWithoutUsage('They like long words.') : answersWithoutUsage(LONG),
    );
    const bench = await openBench(temporaryFolder(), { model, abilities: { contextWindow: 8_000 } });
    const conversation = await bench.conversation();
    for (const text of ['one', 'two', 'three']) await bench.rest(await bench.ask(conversation, `${text} ${LONG}`));
    expect(model.requests.some(isSummary)).toBe(false);
    const runId = await bench.ask(conversation, `four ${LONG}`);
    const events = await bench.rest(runId);

    expect(model.requests.filter(isSummary)).toHaveLength(1);
    expect(events.map(({ type }) => type)).toContain('compression_finished');
    const branch = await bench.branch(conversation);
    const summary = branch.find(({ role }) => role === 'system');
    expect(summary).toMatchObject({ parts: [{ text: 'They like long words.' }], compaction: { messages: 6 } });
    expect(branch).toHaveLength(9);
    const [first, ...others] = transcriptLines(model.requests.at(-1)?.messages ?? []);
    expect(first).toContain('They like long words.');
    expect(first).toContain(`four ${LONG}`);
    expect(others).toEqual([]);

    await bench.rest(await bench.ask(conversation, 'five'));
    expect(model.requests.filter(isSummary)).toHaveLength(1);
    expect(transcriptLines(model.requests.at(-1)?.messages ?? [])[0]).toContain('They like long words.');
  });

  test.each([
    ['the chosen model writes', { providerId: 'p', modelId: 'small' }, 'small', 'They like long words.'],
    ['no model writes', 'off', undefined, 'one word'],
  ] as const)('%s the summary', async (_name, summarize, modelId, summary) => {
    const isAsked = new Map<string, () => boolean>();
    const script = (): ScriptedAnswer =>
      async function* (request) {
        yield* answersWithoutUsage(isSummary(request) ? 'They like long words.' : LONG) as StreamPart[][];
      };
    const models = new Map<string, ReturnType<typeof scriptedModel>>();
    const ofId = (id: string) => {
      const model = models.get(id) ?? scriptedModel(script);
      models.set(id, model);
      isAsked.set(id, () => model.requests.some(isSummary));
      return model;
    };
    const bench = await openBench(temporaryFolder(), {
      model: ofId,
      abilities: { contextWindow: 8_000 },
      configuration: { presetTasks: { summarize } },
    });
    const conversation = await bench.conversation();
    for (const text of ['one', 'two', 'three', 'four']) {
      await bench.rest(await bench.ask(conversation, `${text} ${LONG}`));
    }
    const asked = [...isAsked].filter(([, is]) => is()).map(([id]) => id);
    expect(asked).toEqual(modelId === undefined ? [] : [modelId]);
    const written = (await bench.branch(conversation)).find(({ role }) => role === 'system');
    expect(JSON.stringify(written)).toContain(summary);
  });

  test('is compacted once and sent again if the provider reports that it is too long', async () => {
    const tooLong: ScriptedAnswer = [[{ type: 'error', error: { code: 'context_exceeded', message: 'Too long.' } }]];
    const script = [
      answersWithoutUsage(LONG),
      answersWithoutUsage(LONG),
      tooLong,
      answersWithoutUsage('Summary.'),
      answersWithoutUsage('Fine.'),
    ];
    const bench = await openBench(temporaryFolder(), { model: scriptedModel(script) });
    const conversation = await bench.conversation();
    for (const text of ['one', 'two']) await bench.rest(await bench.ask(conversation, `${text} ${LONG}`));
    const events = await bench.rest(await bench.ask(conversation, 'three'));
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toBe('assistant: Fine.');
  });

  test("fails with the provider's message if it is still too long", async () => {
    const tooLong: ScriptedAnswer = [[{ type: 'error', error: { code: 'context_exceeded', message: 'Too long.' } }]];
    const model = scriptedModel([
      answersWithoutUsage(LONG),
      answersWithoutUsage(LONG),
      tooLong,
      answersWithoutUsage('Summary.'),
      tooLong,
    ]);
    const bench = await openBench(temporaryFolder(), { model });
    const conversation = await bench.conversation();
    for (const text of ['one', 'two']) await bench.rest(await bench.ask(conversation, `${text} ${LONG}`));
    const events = await bench.rest(await bench.ask(conversation, 'three'));
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'context_exceeded' } });
    expect(model.requests).toHaveLength(5);
  });

  test('sends nothing if the message alone exceeds the window: the run fails with both numbers', async () => {
    const model = scriptedModel([answersWithoutUsage('Fine.')]);
    const bench = await openBench(temporaryFolder(), { model, abilities: { contextWindow: 2_048 } });
    const conversation = await bench.conversation();
    const events = await bench.rest(await bench.ask(conversation, LONG.repeat(4)));
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'context_exceeded', message: expect.stringContaining('(4,000 of 2,048 tokens)') },
    });
    expect(model.requests).toEqual([]);
    await bench.rest(await bench.ask(conversation, 'hi'));
    expect(model.requests.some(isSummary)).toBe(true);
  });

  test('never summarizes the only message, also if the provider rejects it', async () => {
    const tooLong: ScriptedAnswer = [[{ type: 'error', error: { code: 'context_exceeded', message: 'Too long.' } }]];
    const model = scriptedModel(() => tooLong);
    const bench = await openBench(temporaryFolder(), { model });
    const events = await bench.rest(await bench.ask(await bench.conversation(), LONG.repeat(4)));
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { message: 'Too long.' } });
    expect(model.requests.some(isSummary)).toBe(false);
  });

  test("continues with the user's messages if no model could summarize it", async () => {
    const dead: ScriptedAnswer = [[{ type: 'error', error: { code: 'overloaded', message: 'Later.' } }]];
    const model = scriptedModel((index) => (index === 3 ? dead : answersWithoutUsage(LONG)));
    const bench = await openBench(temporaryFolder(), { model, abilities: { contextWindow: 8_000 } });
    const conversation = await bench.conversation();
    for (const text of ['one', 'two', 'three']) await bench.rest(await bench.ask(conversation, `${text} ${LONG}`));
    const events = await bench.rest(await bench.ask(conversation, `four ${LONG}`));
    expect(events.find(({ type }) => type === 'compression_failed')).toMatchObject({ error: { message: 'Later.' } });
    expect(events.at(-1)).toMatchObject({ status: 'done' });
    const last = transcriptLines(model.requests.at(-1)?.messages ?? [])[0];
    expect(last).toContain('The user wrote: one word');
  });
});

test('every model request of a run can be reconstructed exactly', async () => {
  const model = scriptedModel([calls({ name: 'count' }), answersWithoutUsage('42 it is')]);
  const tools = { count: { builtIn: true, call: () => answers('42') } };
  const configuration = {
    instructions: 'Today is {{date}}, you are {{model}}.',
    inputTemplate: 'The person says: {{text}}',
    examples: [{ question: 'Two and two?', answer: 'Four.' }],
  };
  const bench = await openBench(temporaryFolder(), { model, tools, configuration });
  const conversation = await bench.conversation();
  const runId = await bench.ask(conversation, 'Count');
  const events = await bench.rest(runId);
  const steps = events.flatMap((event) => (event.type === 'request_made' ? [event.step] : []));
  expect(steps).toHaveLength(2);
  for (const index of steps.keys()) {
    const sent = await loadSentRequest(
      bench.storage,
      ANNE,
      { id: runId, conversationId: conversation },
      steps[index] ?? -1,
    );
    if (!sent) throw new Error('nothing was sent');
    expect(transcriptLines(sent.messages)).toEqual(transcriptLines(model.requests[index]?.messages ?? []));
    expect(sent.tools?.map(({ name }) => name)).toEqual(['count']);
  }
  const first = transcriptLines(model.requests[0]?.messages ?? []);
  expect(first[0]).toMatch(/^system: Today is \d{4}-\d\d-\d\d, you are scripted-1\.$/);
  expect(first.slice(1)).toEqual(['user: Two and two?', 'assistant: Four.', 'user: The person says: Count']);
  expect(await loadSentRequest(bench.storage, ANNE, { id: runId, conversationId: conversation }, 1)).toBeNull();
});
