import { afterEach, describe, expect, test } from 'vitest';
import type { CallToolOptions, InputRound } from '@toolyard/mcp-host';
import type { JsonObject, StoredInterrupt, ToolResult } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import type { RunBench, RunBenchOptions } from './test-fixtures/setup.ts';
import { ANNE, answers, BERT, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { endedRunEvents, eventTypes } from './test-fixtures/run-events.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const FORM = { kind: 'form', message: 'Which city?', requestedSchema: CITY as unknown as JsonObject } as const;
const inTaipei = { decision: 'accept', content: { city: 'Taipei' } } as const;

type Call = (args: JsonObject, options: CallToolOptions) => ToolResult | Promise<ToolResult>;

/** A legacy server: it sends a request during the call. */
const asksForm: Call = async (_args, { handlers, signal }) => {
  const context = { serverId: 'desk', signal: signal ?? new AbortController().signal };
  const request = { mode: 'form', message: FORM.message, requestedSchema: CITY } as never;
  const answer = await handlers?.form?.(request, context);
  return answers(JSON.stringify({ ...answer, asIs: undefined }));
};

/** A modern server: it is called again with the requested input. */
const asksInRounds =
  (rounds: readonly Partial<InputRound>[], log: unknown[] = []): Call =>
  (_args, { onRound, resume }) => {
    log.push(resume);
    const round = rounds[resume?.number ?? 0];
    if (round === undefined) return answers(JSON.stringify(resume?.responses ?? {}));
    const number = (resume?.number ?? 0) + 1;
    onRound?.({ number, asked: [{ key: 'city', question: FORM }], answered: {}, ...round });
    const error = { code: 'input_required', message: 'More.' } as const;
    return { content: [], isError: true, outcome: 'not_sent', error };
  };

/** A run whose tools need no approval, and its next interrupt. */
async function untilAsked(call: Record<string, Call>, more: Partial<RunBenchOptions> = {}, count = 1) {
  const folder = temporaryFolder();
  const names = Object.keys(call);
  const model = scriptedModel([calls(...names.map((name) => ({ name }))), says('Done')]);
  const tools = Object.fromEntries(names.map((name) => [name, { builtIn: true, call: call[name] as never }]));
  const bench = await openBench(folder, { model, tools, ...more });
  const conversation = await bench.conversation();
  const runId = await bench.ask(conversation, 'Do it');
  return { folder, model, tools, bench, conversation, runId, asked: await open(bench, runId, count) };
}

async function open(bench: RunBench, runId: string, count: number): Promise<StoredInterrupt[]> {
  const asked = (): readonly StoredInterrupt[] =>
    bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
  await eventually(() => expect(asked()).toHaveLength(count), { what: 'the interrupts' });
  return [...asked()];
}

const getId = (asked: readonly StoredInterrupt[], at = 0): string => asked[at]?.id ?? '';
const toolText = async (bench: RunBench, conversation: string): Promise<string> =>
  transcriptLines(await bench.branch(conversation)).find((line) => line.startsWith('tool: ')) ?? '';

describe('a server that asks during its call', () => {
  test('gets the answer into the open call; the run is not parked meanwhile', async () => {
    const { bench, runId, conversation, asked } = await untilAsked({ book: asksForm });
    expect(asked).toMatchObject([{ mode: 'live', interrupt: { kind: 'elicitation', mode: 'form', name: 'book' } }]);
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'running' });
    await bench.runs.answer(ANNE, getId(asked), inTaipei);
    const events = await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toBe('tool: {"action":"accept","content":{"city":"Taipei"}}');
    expect(eventTypes(events)).not.toContain('run_parked');
    expect(eventTypes(events).filter((type) => type.startsWith('interrupt'))).toEqual([
      'interrupt_requested',
      'interrupt_answered',
    ]);
  });

  test('is answered once, by its owner, with valid content; an error names the field', async () => {
    const { bench, runId, asked } = await untilAsked({ book: asksForm });
    const id = getId(asked);
    const wrong = { decision: 'accept', content: { city: 7 } } as const;
    await expect(bench.runs.answer(ANNE, id, wrong)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('"city" must be text') as string,
    });
    await expect(bench.runs.answer(ANNE, id, { decision: 'accept' })).rejects.toThrow('"city" is required');
    await expect(bench.runs.answer(ANNE, id, { decision: 'repeat' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(bench.runs.answer(BERT, id, inTaipei)).rejects.toMatchObject({ code: 'not_found' });
    const both = await Promise.allSettled([
      bench.runs.answer(ANNE, id, inTaipei),
      bench.runs.answer(ANNE, id, inTaipei),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await endedRunEvents(bench, runId);
  });

  test('distinguishes a declined from a dismissed request', async () => {
    for (const decision of ['decline', 'cancel'] as const) {
      const { bench, runId, conversation, asked } = await untilAsked({ book: asksForm });
      await bench.runs.answer(ANNE, getId(asked), { decision });
      await endedRunEvents(bench, runId);
      expect(await toolText(bench, conversation)).toBe(`tool: {"action":"${decision}"}`);
    }
  });

  test('whose call ends meanwhile has no open interrupt', async () => {
    let end = (): void => undefined;
    const impatient: Call = (_args, options) => {
      const stop = new AbortController();
      end = () => stop.abort();
      void Promise.resolve(asksForm({}, { ...options, signal: stop.signal })).catch(() => undefined);
      return new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(answers('Too late'))));
    };
    const { bench, runId, asked } = await untilAsked({ book: impatient });
    end();
    const events = await endedRunEvents(bench, runId);
    expect(eventTypes(events)).toContain('interrupt_withdrawn');
    await expect(bench.runs.answer(ANNE, getId(asked), inTaipei)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('has no open interrupt after the run is cancelled', async () => {
    const { bench, runId, asked } = await untilAsked({
      book: (args, options) => Promise.race([asksForm(args, options), aborted(options.signal)]),
    });
    await bench.runs.cancel(ANNE, runId);
    await endedRunEvents(bench, runId);
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'cancelled' });
    await expect(bench.runs.answer(ANNE, getId(asked), inTaipei)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('twice in parallel: each request gets its own answer', async () => {
    const { bench, runId, conversation, asked } = await untilAsked({ one: asksForm, two: asksForm }, {}, 2);
    for (const { id, interrupt } of asked) {
      if (interrupt.kind !== 'elicitation') throw new Error('no form');
      await bench.runs.answer(ANNE, id, { decision: 'accept', content: { city: interrupt.name } });
    }
    await endedRunEvents(bench, runId);
    const results = transcriptLines(await bench.branch(conversation)).filter((line) => line.startsWith('tool: '));
    expect(results).toEqual(['one', 'two'].map((city) => `tool: {"action":"accept","content":{"city":"${city}"}}`));
  });

  test('whose process crashed: the call is in doubt, and its interrupt is withdrawn', async () => {
    const { folder, model, tools, bench, runId, asked } = await untilAsked({ book: asksForm });
    bench.die();
    // Not built in: a harmless call would simply be repeated.
    const book = { ...tools['book'], builtIn: false } as never;
    const next = await openBench(folder, { model, tools: { book }, start: false });
    const tool = { serverId: 'desk', name: 'book' };
    await next.storage.permissions.set(ANNE, { tool, conversationId: null, decision: 'allow', at: 1 });
    await next.runs.start();
    await next.rest(runId);
    const [doubt] = await open(next, runId, 1);
    expect(doubt).toMatchObject({ mode: 'parked', interrupt: { kind: 'in_doubt', name: 'book' } });
    await expect(next.runs.answer(ANNE, getId(asked), inTaipei)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a server that asks in rounds', () => {
  test('keeps nothing open: the run is parked, another process continues, the state is returned byte for byte', async () => {
    const log: { state?: string }[] = [];
    const state = 'opaque ⟨\u0000"\\ 状态';
    const call = asksInRounds([{ state }], log);
    const { folder, model, tools, bench, runId, asked } = await untilAsked({ book: call });
    await bench.rest(runId);
    expect(asked).toMatchObject([{ mode: 'parked' }]);
    expect(JSON.stringify(bench.events(runId))).not.toContain('opaque');
    await bench.runs.close();
    bench.die();

    const next = await openBench(folder, { model, tools });
    await next.runs.answer(ANNE, getId(asked), inTaipei);
    const events = await endedRunEvents(next, runId);
    const responses = { city: { action: 'accept', content: { city: 'Taipei' } } };
    expect(log).toEqual([undefined, { number: 1, responses, state }]);
    expect(eventTypes(events).filter((type) => type === 'tool_finished')).toHaveLength(1);
    expect(await toolText(next, 'c1')).toBe(`tool: ${JSON.stringify(responses)}`);
  });

  test('waits for all requests of a round, and asks again in a further round', async () => {
    const asked = [
      { key: 'from', question: FORM },
      { key: 'to', question: FORM },
    ];
    const scene = await untilAsked({ book: asksInRounds([{ asked }, {}]) }, {}, 2);
    const { bench, runId, conversation } = scene;
    await bench.rest(runId);
    await bench.runs.answer(ANNE, getId(scene.asked), inTaipei);
    expect(await bench.rest(runId)).toBeDefined();
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    await bench.runs.answer(ANNE, getId(scene.asked, 1), { decision: 'decline' });
    const again = await open(bench, runId, 1);
    expect(getId(again)).not.toBe(getId(scene.asked));
    await bench.runs.answer(ANNE, getId(again), inTaipei);
    await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toContain('Taipei');
  });

  test('beside completed calls: those are reported once, in order, and not repeated', async () => {
    let made = 0;
    const quick: Call = () => answers(`quick ${++made}`);
    const { bench, runId, conversation, asked } = await untilAsked({ book: asksInRounds([{}]), quick });
    await bench.rest(runId);
    await bench.runs.answer(ANNE, getId(asked), inTaipei);
    const events = await endedRunEvents(bench, runId);
    expect(made).toBe(1);
    expect(eventTypes(events).filter((type) => type === 'tool_finished')).toHaveLength(2);
    const results = transcriptLines(await bench.branch(conversation)).filter((line) => line.startsWith('tool: '));
    expect(results).toEqual([expect.stringContaining('Taipei'), 'tool: quick 1']);
  });

  test('is cancelled while it waits: the call gets a result that says it was not made', async () => {
    const { bench, runId, conversation } = await untilAsked({ book: asksInRounds([{}]) });
    await bench.rest(runId);
    await bench.runs.cancel(ANNE, runId);
    await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toContain('Not made');
  });

  test('requires a page to be opened: the call is repeated only if it was', async () => {
    const page = { key: '0', question: { kind: 'url', message: 'In here', url: 'https://example.com/' } as const };
    for (const [decision, expected] of [
      ['accept', 'tool: {}'],
      ['decline', 'the user did not'],
    ] as const) {
      const { bench, runId, conversation, asked } = await untilAsked({
        book: asksInRounds([{ asked: [page], refused: true }]),
      });
      await bench.rest(runId);
      await bench.runs.answer(ANNE, getId(asked), { decision });
      await endedRunEvents(bench, runId);
      expect(await toolText(bench, conversation)).toContain(expected);
    }
  });
});

describe('a server that requests sampling', () => {
  const request = {
    messages: [
      { role: 'user', content: { type: 'text', text: 'Say hi' } },
      { role: 'assistant', content: { type: 'text', text: 'Hi' } },
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    ],
    systemPrompt: 'Be brief',
    maxTokens: 7,
    tools: [{ name: 'look', inputSchema: { type: 'object' } }],
  };
  const asksModel: Call = async (_args, { handlers }) => {
    const context = { serverId: 'desk', signal: new AbortController().signal };
    const answer = await handlers?.sampling?.(request as never, context).catch((thrown: unknown) => String(thrown));
    return answers(JSON.stringify(answer));
  };

  test('gets the result from the model of the conversation, as edited by the user; its usage is counted', async () => {
    const model = scriptedModel([calls({ name: 'ask' }), says('Sampled'), says('Done')]);
    const { bench, runId, conversation, asked } = await untilAsked({ ask: asksModel }, { model });
    expect(asked[0]?.interrupt).toMatchObject({
      kind: 'sampling',
      systemPrompt: 'Be brief',
      model: 'scripted-1',
      maxTokens: 7,
      tools: [{ name: 'look' }],
    });
    const short = { decision: 'allow' as const, texts: ['only one'] };
    await expect(bench.runs.answer(ANNE, getId(asked), short)).rejects.toThrow('2 texts (got 1)');
    await bench.runs.answer(ANNE, getId(asked), { decision: 'allow', texts: ['Say ho', 'Ho'] });
    const events = await endedRunEvents(bench, runId);
    expect(transcriptLines(model.requests[1]?.messages ?? [])).toEqual([
      'system: Be brief',
      'user: Say ho',
      'assistant: Ho',
      'user: <image>',
    ]);
    expect(model.requests[1]).toMatchObject({ parameters: { maxOutputTokens: 7 }, tools: [{ name: 'look' }] });
    expect(JSON.parse((await toolText(bench, conversation)).slice(6))).toEqual({
      role: 'assistant',
      model: 'scripted-1',
      content: { type: 'text', text: 'Sampled' },
      stopReason: 'endTurn',
    });
    // One input and one output token for each of the two reported answers.
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 2, outputTokens: 2 } });
  });

  test('gets an error after the user declined, and no model is asked', async () => {
    const model = scriptedModel([calls({ name: 'ask' }), says('Done')]);
    const { bench, runId, conversation, asked } = await untilAsked({ ask: asksModel }, { model });
    await bench.runs.answer(ANNE, getId(asked), { decision: 'decline' });
    await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toContain('declined');
    expect(model.requests).toHaveLength(2);
  });
});

describe('a server that requires a sign-in', () => {
  const wantsSignIn = (): { call: Call; signIn: () => void } => {
    let isIn = false;
    const error = { code: 'needs_sign_in', message: 'Who are you?' } as const;
    return {
      signIn: () => (isIn = true),
      call: () => (isIn ? answers('Welcome') : { content: [], isError: true, outcome: 'not_sent', error }),
    };
  };

  test('is called again after the sign-in, however the run is notified', async () => {
    const { call, signIn } = wantsSignIn();
    const { bench, runId, conversation, asked } = await untilAsked({ mail: call });
    await bench.rest(runId);
    expect(asked).toMatchObject([{ mode: 'parked', interrupt: { kind: 'sign_in', tool: { serverId: 'desk' } } }]);
    await bench.runs.signedIn(ANNE, 'another');
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    signIn();
    await bench.runs.signedIn(ANNE, 'desk');
    await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toBe('tool: Welcome');
  });

  test('is not called again if the user declines', async () => {
    const { bench, runId, conversation, asked } = await untilAsked({ mail: wantsSignIn().call });
    await bench.rest(runId);
    await bench.runs.answer(ANNE, getId(asked), { decision: 'decline' });
    await endedRunEvents(bench, runId);
    expect(await toolText(bench, conversation)).toContain('did not sign in');
  });
});

function aborted(signal: AbortSignal | undefined): Promise<ToolResult> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(answers('Stopped'))));
}
