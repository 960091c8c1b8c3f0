import { afterEach, describe, expect, test } from 'vitest';
import type { StoredInterrupt } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import type { RunBench } from './test-fixtures/setup.ts';
import { ANNE, answers, BERT, cleanUp, openBench, temporaryFolder, transcriptLines } from './test-fixtures/setup.ts';
import { endedRunEvents, eventTypes } from './test-fixtures/run-events.ts';
import { calls, says, scriptedModel } from './test-fixtures/scripted-model.ts';

afterEach(cleanUp);

/** Sends a message and waits until the run is parked. */
async function askUntilParked(
  bench: RunBench,
): Promise<{ runId: string; conversation: string; asked: StoredInterrupt[] }> {
  const conversation = await bench.conversation();
  const runId = await bench.ask(conversation, 'Do it');
  await bench.rest(runId);
  expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
  const asked = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
  return { runId, conversation, asked: [...asked] };
}

/** A tool that counts its calls. */
function counting(): { tool: { call: () => ReturnType<typeof answers> }; count: () => number } {
  let count = 0;
  return { tool: { call: () => answers(`ran ${++count}`) }, count: () => count };
}

describe('a call that needs approval', () => {
  test('parks the run, holds no resources, and is made once it is approved', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Done')]),
      tools: { send: tool },
    });
    const { runId, conversation, asked } = await askUntilParked(bench);
    expect(asked).toMatchObject([{ conversationId: conversation, interrupt: { kind: 'approval', name: 'send' } }]);
    expect(count()).toBe(0);
    const [{ id } = { id: '' }] = asked;

    const answer = { decision: 'approve', scope: 'once' } as const;
    expect(await bench.runs.answer(ANNE, id, answer)).toMatchObject({ status: 'answered', answer });
    const events = await endedRunEvents(bench, runId);
    expect(count()).toBe(1);
    expect(eventTypes(events).filter((type) => /^(run|interrupt)_/.test(type))).toEqual([
      'run_started',
      'interrupt_requested',
      'run_parked',
      'interrupt_answered',
      'run_resumed',
      'run_finished',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual(['tool: ran 1', 'assistant: Done']);
    await expect(bench.runs.answer(ANNE, id, answer)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is not made if it is denied, and the model learns the reason', async () => {
    const { tool, count } = counting();
    const model = scriptedModel([calls({ name: 'send' }), says('As you wish')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { send: tool } });
    const { runId, asked } = await askUntilParked(bench);
    await bench.runs.answer(ANNE, asked[0]?.interrupt.id ?? '', { decision: 'refuse', reason: 'not today' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(0);
    expect(transcriptLines(model.requests[1]?.messages ?? []).at(-1)).toContain('not today');
  });

  test('denied with stop: ends the run, with a result for every call', async () => {
    const { tool, count } = counting();
    const model = scriptedModel([calls({ name: 'send' }, { name: 'other' }), says('Never said')]);
    const bench = await openBench(temporaryFolder(), { model, tools: { send: tool, other: tool } });
    const { runId, conversation, asked } = await askUntilParked(bench);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'refuse', reason: 'wrong house', stops: true });
    expect((await endedRunEvents(bench, runId)).at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
    expect(count()).toBe(0);
    expect(model.requests).toHaveLength(1);
    const results = transcriptLines(await bench.branch(conversation)).slice(2);
    expect(results).toHaveLength(2);
    expect(results[0]).toContain('wrong house');
    const late = { decision: 'approve', scope: 'once' } as const;
    await expect(bench.runs.answer(ANNE, asked[1]?.id ?? '', late)).rejects.toMatchObject({ code: 'conflict' });
    expect(bench.storage.runs.countInterrupts(ANNE)).toBe(0);
  });

  test('two interrupts answered at once: the second answer counts, whatever the first would settle', async () => {
    const { tool, count } = counting();
    let second: string | undefined;
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }, { name: 'send', arguments: { to: 'all' } }), says('Done')]),
      tools: { send: tool },
      beforeCommit: (items, storage) => {
        if (second === undefined || !items.some(({ interrupts }) => interrupts?.answered?.length)) return;
        void storage.runs.answerInterrupt(ANNE, second, { decision: 'refuse', reason: 'not to all' }, Date.now());
        second = undefined;
      },
    });
    const { runId, conversation, asked } = await askUntilParked(bench);
    second = asked[1]?.interrupt.id;
    await bench.runs.answer(ANNE, asked[0]?.interrupt.id ?? '', { decision: 'approve', scope: 'conversation' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(1);
    expect(transcriptLines(await bench.branch(conversation)).at(-2)).toContain('not to all');
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'done' });
    expect(bench.log).toEqual([]);
  });

  test('an answer of another kind, or of another user, is rejected', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' })]),
      tools: { send: counting().tool },
    });
    const { asked } = await askUntilParked(bench);
    const id = asked[0]?.id ?? '';
    await expect(bench.runs.answer(ANNE, id, { decision: 'repeat' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(bench.runs.answer(BERT, id, { decision: 'refuse' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bench.runs.answer(ANNE, 'x', { decision: 'refuse' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('several interrupts are answered one by one, and the run continues after the last', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }, { name: 'other' }), says('Done')]),
      tools: { send: tool, other: tool },
    });
    const { runId, asked } = await askUntilParked(bench);
    expect(asked).toHaveLength(2);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => eventTypes(bench.events(runId)).includes('interrupt_answered'));
    await bench.rest(runId);
    expect(bench.storage.runs.getRun(ANNE, runId)).toMatchObject({ status: 'parked' });
    expect(count()).toBe(0);
    await bench.runs.answer(ANNE, asked[1]?.id ?? '', { decision: 'refuse' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(1);
  });

  test('"in this conversation" settles the other calls of the tool and is not asked again there', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([
        calls({ name: 'send', arguments: { to: 'a' } }, { name: 'send', arguments: { to: 'b' } }),
        calls({ name: 'send', arguments: { to: 'c' } }),
        says('Done'),
        calls({ name: 'send', arguments: { to: 'd' } }),
      ]),
      tools: { send: tool },
    });
    const { runId, asked } = await askUntilParked(bench);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope: 'conversation' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(3);
    expect(bench.storage.runs.listInterrupts(ANNE, { runId, limit: 9 }).map(({ status }) => status)).toEqual([
      'answered',
      'answered',
    ]);
    await askUntilParked(bench);
    expect(count()).toBe(3);
  });

  test('"never" is never asked again, anywhere', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('No'), calls({ name: 'send' }), says('No')]),
      tools: { send: tool },
    });
    const { runId, asked } = await askUntilParked(bench);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'refuse', scope: 'always' });
    await endedRunEvents(bench, runId);
    await endedRunEvents(bench, await bench.ask(await bench.conversation(), 'Do it'));
    expect(count()).toBe(0);
  });

  test('a cancelled run has no open interrupts, and a result for every call', async () => {
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Next')]),
      tools: { send: counting().tool },
    });
    const { runId, conversation, asked } = await askUntilParked(bench);
    await bench.runs.cancel(ANNE, runId);
    const events = await endedRunEvents(bench, runId);
    expect(events.at(-1)).toMatchObject({ status: 'cancelled' });
    expect(transcriptLines(await bench.branch(conversation)).at(-1)).toMatch(/^tool: Not made/);
    const late = bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is denied if no user is available', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Then not')]),
      tools: { send: tool },
      configuration: { intervention: 'headless' },
    });
    await endedRunEvents(bench, await bench.ask(await bench.conversation(), 'Do it'));
    expect(count()).toBe(0);
  });
});

describe('while stored rules cannot be read', () => {
  test('needs approval with the reason even if the tool is always allowed, and only once', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }), says('Done')]),
      tools: { send: tool },
      configuration: { intervention: 'auto', lostRules: true },
    });
    const { runId, asked } = await askUntilParked(bench);
    expect(asked[0]?.interrupt).toMatchObject({ danger: expect.stringContaining('rules are unreadable') as string });
    const id = asked[0]?.id ?? '';
    const always = bench.runs.answer(ANNE, id, { decision: 'approve', scope: 'always' });
    await expect(always).rejects.toMatchObject({ code: 'bad_request' });
    await bench.runs.answer(ANNE, id, { decision: 'approve', scope: 'once' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(1);
  });
});

describe('a call flagged as dangerous', () => {
  const dangerous = { name: 'send', arguments: { x: 'rm -rf /' } };
  const harmless = { name: 'send', arguments: { x: 'hello' } };

  test('needs its own approval, whatever is allowed: "always" for another call of the tool does not apply', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls(dangerous, harmless), calls(dangerous), says('Done')]),
      tools: { send: tool },
    });
    const { runId, asked } = await askUntilParked(bench);
    const [first, second] = asked;
    expect(asked.map(({ interrupt }) => (interrupt.kind === 'approval' ? interrupt.danger : ''))).toEqual([
      'It removes / and everything in it.',
      undefined,
    ]);
    await bench.runs.answer(ANNE, second?.id ?? '', { decision: 'approve', scope: 'always' });
    expect(bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 })).toHaveLength(1);
    expect(count()).toBe(0);
    await bench.runs.answer(ANNE, first?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => eventTypes(bench.events(runId)).filter((type) => type === 'run_parked').length === 2);
    expect(count()).toBe(2);
    await bench.rest(runId);
    const [again] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
    await bench.runs.answer(ANNE, again?.id ?? '', { decision: 'refuse', scope: 'once' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(2);
  });

  test.each(['conversation', 'always'] as const)(
    'cannot be allowed with the scope "%s", and nothing changes',
    async (scope) => {
      const { tool, count } = counting();
      const bench = await openBench(temporaryFolder(), {
        model: scriptedModel([calls(dangerous), says('Done')]),
        tools: { send: tool },
      });
      const { runId, asked } = await askUntilParked(bench);
      const answer = bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope });
      await expect(answer).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('It removes /') as string,
        hint: expect.stringContaining('"once"') as string,
      });
      expect(bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 })).toHaveLength(1);
      await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'refuse', scope: 'always' });
      await endedRunEvents(bench, runId);
      expect(count()).toBe(0);
    },
  );

  test('needs approval in mode "auto", where everything else runs', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls(harmless), calls(dangerous), says('Done')]),
      tools: { send: tool },
      configuration: { intervention: 'auto' },
    });
    const { asked } = await askUntilParked(bench);
    expect(count()).toBe(1);
    expect(asked).toMatchObject([{ interrupt: { kind: 'approval', arguments: { x: 'rm -rf /' } } }]);
  });

  test('in mode "auto" every call needs approval while a server without a sandbox is not confirmed', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls(harmless), says('Done'), calls(harmless), says('Done')]),
      tools: { send: tool },
      configuration: { intervention: 'auto' },
      unsandboxed: ['files', 'shell'],
    });
    await bench.storage.settings.set(ANNE, 'auto.unsandboxed', ['files'], 1);
    const { runId, asked } = await askUntilParked(bench);
    expect(asked).toMatchObject([{ interrupt: { kind: 'approval', autoUnconfirmed: ['shell'] } }]);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await endedRunEvents(bench, runId);
    await bench.storage.settings.set(ANNE, 'auto.unsandboxed', ['files', 'shell'], 2);
    await endedRunEvents(bench, await bench.ask(await bench.conversation('second'), 'Do it'));
    expect(count()).toBe(2);
  });

  test('is denied if no user is available, while calls that a rule allows are made', async () => {
    const { tool, count } = counting();
    const model = scriptedModel([calls(harmless, dangerous), says('Done')]);
    const bench = await openBench(temporaryFolder(), {
      model,
      tools: { send: tool },
      configuration: { intervention: 'headless', interventionRules: [{ decision: 'allow', tool: 'desk/*' }] },
    });
    await endedRunEvents(bench, await bench.ask(await bench.conversation(), 'Do it'));
    expect(count()).toBe(1);
    expect(transcriptLines(model.requests[1]?.messages ?? []).at(-1)).toContain('needs approval');
  });
});

describe('permissions changed during a run', () => {
  const SEND = { serverId: 'desk', name: 'send' };
  const decide = (bench: RunBench, decision: 'allow' | 'never'): Promise<void> =>
    bench.storage.permissions.set(ANNE, { tool: SEND, conversationId: null, decision, at: 1 });

  test('"never" applies from the next call', async () => {
    const { tool, count } = counting();
    const model = scriptedModel((index) => (index < 2 ? calls({ name: 'send', arguments: { index } }) : says('Done')));
    const bench = await openBench(temporaryFolder(), {
      model,
      tools: { send: { call: async () => (await decide(bench, 'never'), tool.call()) } },
    });
    await decide(bench, 'allow');
    await endedRunEvents(bench, await bench.ask(await bench.conversation(), 'Do it'));
    expect(count()).toBe(1);
    expect(transcriptLines(model.requests[2]?.messages ?? []).at(-1)).toContain('desk/send is set to "never"');
  });

  test('"never" stops pending calls of the same turn', async () => {
    const { tool, count } = counting();
    const both = [
      { name: 'send', arguments: { to: 'a' } },
      { name: 'send', arguments: { to: 'b' } },
    ];
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls(...both), says('Done')]),
      tools: { send: { call: async () => (await decide(bench, 'never'), tool.call()) } },
      configuration: { limits: { ...DEFAULT_LIMITS, toolConcurrency: 1 } },
    });
    await decide(bench, 'allow');
    const conversation = await bench.conversation();
    await endedRunEvents(bench, await bench.ask(conversation, 'Do it'));
    expect(count()).toBe(1);
    expect(transcriptLines(await bench.branch(conversation)).slice(2)).toEqual([
      'tool: ran 1',
      'tool: desk/send is set to "never". Do not call it again.',
      'assistant: Done',
    ]);
  });

  test('a revoked permission needs approval again', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel((index) => calls({ name: 'send', arguments: { index } })),
      tools: {
        send: { call: async () => (await bench.storage.permissions.remove(ANNE, SEND, null), tool.call()) },
      },
    });
    await decide(bench, 'allow');
    const { asked } = await askUntilParked(bench);
    expect(count()).toBe(1);
    expect(asked).toMatchObject([{ interrupt: { kind: 'approval', arguments: { index: 1 } } }]);
  });

  test('while it waits for the user: an allowed call needs approval again, a forbidden one is not made', async () => {
    const { tool, count } = counting();
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([calls({ name: 'send' }, { name: 'other' }), says('Done')]),
      tools: { send: tool, other: tool },
    });
    await decide(bench, 'allow');
    const { runId, asked } = await askUntilParked(bench);
    expect(asked).toMatchObject([{ interrupt: { name: 'other' } }]);
    await bench.storage.permissions.remove(ANNE, SEND, null);
    await bench.runs.answer(ANNE, asked[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => eventTypes(bench.events(runId)).filter((type) => type === 'run_parked').length === 2);
    await bench.rest(runId);
    expect(count()).toBe(0);
    const [again] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
    expect(again?.interrupt).toMatchObject({ kind: 'approval', name: 'send' });
    await decide(bench, 'never');
    await bench.runs.answer(ANNE, again?.id ?? '', { decision: 'approve', scope: 'once' });
    await endedRunEvents(bench, runId);
    expect(count()).toBe(1);
  });
});
