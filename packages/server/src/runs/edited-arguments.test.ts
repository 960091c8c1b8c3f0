import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import type { RunBench, RunBenchOptions } from './test-fixtures/setup.ts';
import { ANNE, answers, cleanUp, openBench, temporaryFolder } from './test-fixtures/setup.ts';
import type { ScriptedModel } from './test-fixtures/scripted-model.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const SCHEMA = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };

type Scene = { bench: RunBench; made: JsonObject[]; model: ScriptedModel; runId: string; asked: StoredInterrupt[] };

/** A run that waits for approval of its calls of `send`. */
async function parked(
  argsOfCalls: JsonObject[],
  more: Partial<RunBenchOptions> & { inInterrupt?: false } = {},
): Promise<Scene> {
  const made: JsonObject[] = [];
  const model = scriptedModel([calls(...argsOfCalls.map((args) => ({ name: 'send', arguments: args }))), says('Done')]);
  const call = (args: JsonObject) => (made.push(args), answers('sent'));
  const { inInterrupt = true, ...rest } = more;
  const tools = { send: { inputSchema: SCHEMA, inInterrupt, call } };
  const bench = await openBench(temporaryFolder(), { model, tools, ...rest });
  const runId = await bench.ask(await bench.conversation(), 'Do it');
  await bench.rest(runId);
  return { bench, made, model, runId, asked: open(bench, runId) };
}

const open = (bench: RunBench, runId: string): StoredInterrupt[] => [
  ...bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 }),
];

async function over({ bench, runId }: Scene): Promise<readonly RunEvent[]> {
  await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: 'the end of the run' });
  return bench.events(runId);
}

const approve = (args: JsonObject) => ({ decision: 'approve', scope: 'once', arguments: args }) as const;

describe('a call with arguments edited by the user', () => {
  test('is made with them, and they are in answer, events, ledger and conversation', async () => {
    const scene = await parked([{ to: 'everybody' }]);
    const { bench, made, runId, asked } = scene;
    const [approval] = asked;
    expect(approval?.interrupt).toMatchObject({ arguments: { to: 'everybody' }, inputSchema: SCHEMA });
    await bench.runs.answer(ANNE, approval?.id ?? '', approve({ to: 'Bert' }));
    const events = await over(scene);
    expect(made).toEqual([{ to: 'Bert' }]);
    const editedArguments = { to: 'Bert' };
    expect(events.find(({ type }) => type === 'interrupt_answered')).toMatchObject({ answer: approve({ to: 'Bert' }) });
    expect(events.find(({ type }) => type === 'tool_started')).toMatchObject({ editedArguments });
    expect(events.find(({ type }) => type === 'tool_finished')).toMatchObject({ message: { editedArguments } });
    expect(bench.storage.runs.readLedger(ANNE, runId)).toMatchObject([
      { arguments: { to: 'Bert' }, edited: true, status: 'done' },
    ]);
  });

  test('is reported to the model, which sees its own call unchanged', async () => {
    const scene = await parked([{ to: 'everybody' }]);
    await scene.bench.runs.answer(ANNE, scene.asked[0]?.id ?? '', approve({ to: 'Bert' }));
    await over(scene);
    const [call, result] = (scene.model.requests[1]?.messages ?? []).slice(-2);
    expect(call?.parts).toMatchObject([{ type: 'tool_call', arguments: { to: 'everybody' } }]);
    expect(result?.parts[0]).toMatchObject({
      result: { content: [{ text: expect.stringContaining('{"to":"Bert"}') as string }, { text: 'sent' }] },
    });
  });

  test('is an ordinary one if they equal the original', async () => {
    const scene = await parked([{ to: 'Bert' }]);
    const { bench, runId, asked } = scene;
    expect(await bench.runs.answer(ANNE, asked[0]?.id ?? '', approve({ to: 'Bert' }))).toMatchObject({
      answer: { decision: 'approve', scope: 'once' },
    });
    const events = await over(scene);
    expect(JSON.stringify(events)).not.toContain('editedArguments');
    expect(bench.storage.runs.readLedger(ANNE, runId)?.[0]).not.toHaveProperty('edited');
  });

  test("is rejected if they do not match the tool's schema, and still needs approval", async () => {
    const scene = await parked([{ to: 'everybody' }]);
    const { bench, runId, asked, made } = scene;
    const answer = bench.runs.answer(ANNE, asked[0]?.id ?? '', approve({ to: 7 }));
    await expect(answer).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining("do not match the tool's schema") as string,
    });
    expect(open(bench, runId)).toHaveLength(1);
    expect(made).toEqual([]);
  });

  test('is not made if the mismatch is found later, and the model learns who edited them', async () => {
    const scene = await parked([{ to: 'everybody' }], { inInterrupt: false });
    await scene.bench.runs.answer(ANNE, scene.asked[0]?.id ?? '', approve({ to: 7 }));
    const events = await over(scene);
    expect(scene.made).toEqual([]);
    expect(events.find(({ type }) => type === 'tool_finished')).toMatchObject({
      result: { outcome: 'not_sent', error: { code: 'invalid_arguments' } },
    });
    expect(JSON.stringify(scene.model.requests[1])).toContain('The user edited the arguments');
  });

  test('needs a second approval with the reason if they are flagged as dangerous', async () => {
    const scene = await parked([{ to: 'everybody' }]);
    const { bench, runId, asked, made } = scene;
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', approve({ to: 'rm -rf /' }));
    await eventually(() => open(bench, runId).length === 1, { what: 'the second approval' });
    const [again] = open(bench, runId);
    expect(made).toEqual([]);
    expect(again?.id).not.toBe(asked[0]?.id);
    expect(again?.interrupt).toMatchObject({
      kind: 'approval',
      arguments: { to: 'rm -rf /' },
      danger: expect.any(String) as string,
    });
    await bench.rest(runId);
    await bench.runs.answer(ANNE, again?.id ?? '', { decision: 'approve', scope: 'once' });
    const events = await over(scene);
    expect(made).toEqual([{ to: 'rm -rf /' }]);
    expect(events.find(({ type }) => type === 'tool_started')).toMatchObject({
      editedArguments: { to: 'rm -rf /' },
    });
  });

  test('cannot allow a tool for later if they are flagged as dangerous', async () => {
    const { bench, runId, asked, made } = await parked([{ to: 'everybody' }]);
    const answer = bench.runs.answer(ANNE, asked[0]?.id ?? '', { ...approve({ to: 'rm -rf /' }), scope: 'always' });
    await expect(answer).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('can only be allowed once') as string,
    });
    expect(open(bench, runId)).toHaveLength(1);
    expect(made).toEqual([]);
  });

  test('is not made if a rule of the owner forbids them', async () => {
    const scene = await parked([{ to: 'everybody' }], {
      configuration: { interventionRules: [{ decision: 'never', argument: 'boss' }] },
    });
    await scene.bench.runs.answer(ANNE, scene.asked[0]?.id ?? '', approve({ to: 'boss' }));
    await over(scene);
    expect(scene.made).toEqual([]);
    expect(JSON.stringify(scene.model.requests[1])).toContain('A rule forbids');
  });

  test('does not apply them to other calls that the answer settles', async () => {
    const scene = await parked([{ to: 'a' }, { to: 'b' }]);
    const answer = { ...approve({ to: 'c' }), scope: 'conversation' } as const;
    await scene.bench.runs.answer(ANNE, scene.asked[0]?.id ?? '', answer);
    await over(scene);
    expect(scene.made).toEqual([{ to: 'c' }, { to: 'b' }]);
    const stored = scene.bench.storage.runs.listInterrupts(ANNE, { runId: scene.runId, limit: 9 });
    expect(stored.map((each) => each.answer)).toEqual([answer, { decision: 'approve', scope: 'conversation' }]);
  });
});

describe('an answer that contains what was shown', () => {
  const YES = { decision: 'approve', scope: 'once' } as const;

  test('is accepted if that is the current state', async () => {
    const scene = await parked([{ to: 'everybody' }]);
    const shown = { arguments: { to: 'everybody' }, definition: 'd1' };
    await scene.bench.runs.answer(ANNE, scene.asked[0]?.id ?? '', YES, shown);
    await over(scene);
    expect(scene.made).toHaveLength(1);
  });

  test.each([
    ['other arguments', { arguments: { to: 'Bert' } }],
    ['fewer arguments', { arguments: {} }],
    ['another definition', { definition: 'd2' }],
  ])('is rejected for %s, and the interrupt stays open', async (_what, shown) => {
    const { bench, runId, asked, made } = await parked([{ to: 'everybody' }]);
    const answer = bench.runs.answer(ANNE, asked[0]?.id ?? '', YES, shown);
    await expect(answer).rejects.toMatchObject({ code: 'conflict' });
    expect(open(bench, runId)).toHaveLength(1);
    expect(bench.events(runId).at(-1)).toMatchObject({ type: 'run_parked' });
    expect(made).toEqual([]);
  });
});
