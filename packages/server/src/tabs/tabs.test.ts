import { afterEach, describe, expect, test } from 'vitest';
import type {
  ClaimedTabCall,
  JsonObject,
  RunRecord,
  StoredInterrupt,
  TabCallView,
  TabServer,
  ToolResult,
} from '@toolyard/protocol';
import { MAX_OPEN_REQUESTS } from '@toolyard/protocol';
import { createFakeClock, eventually } from '@toolyard/testing';
import type { RunBench, RunBenchOptions } from '../runs/test-fixtures/setup.ts';
import {
  ANNE,
  answers,
  BERT,
  cleanUp,
  openBench,
  temporaryFolder,
  transcriptLines,
} from '../runs/test-fixtures/setup.ts';
import type { ScriptedModel } from '../runs/test-fixtures/scripted-model.ts';
import { calls, says, scriptedModel } from '../runs/test-fixtures/scripted-model.ts';
import { TabToolBroker } from './tab-tool-broker.ts';

afterEach(cleanUp);

const NOTES: TabServer = {
  id: 'browser-notes',
  url: 'http://localhost:9/mcp',
  instructions: 'Notes are short.',
  tools: [{ name: 'note', description: 'Keeps a note.', inputSchema: { type: 'object' } }],
};
const asksForNote = (): ScriptedModel => scriptedModel([calls({ name: 'note' }), says('Kept.')]);
const UNASKED = { intervention: 'auto' } as const;

type Scene = { bench: RunBench; broker: TabToolBroker; model: ScriptedModel; conversation: string; folder: string };

async function scene(more: Partial<RunBenchOptions> = {}): Promise<Scene> {
  const folder = temporaryFolder();
  const model = (more.model ?? asksForNote()) as ScriptedModel;
  const bench = await openBench(folder, { model, configuration: UNASKED, ...more });
  return { bench, broker: createBroker(bench, more), model, conversation: await bench.conversation(), folder };
}

function createBroker({ storage, runs, hub }: RunBench, { clock }: Partial<RunBenchOptions> = {}): TabToolBroker {
  return new TabToolBroker({ storage, runs, hub, clock: clock ?? { ...createFakeClock(), now: () => Date.now() } });
}

/** A scripted tab: it receives calls, claims them and reports results. */
function tab({ broker, conversation }: Pick<Scene, 'broker' | 'conversation'>, id = 'tab-1') {
  const key = ({ runId, callId }: TabCallView) => ({ runId, callId });
  return {
    lends: (...servers: TabServer[]) => broker.offer(ANNE, id, conversation, { servers }),
    seen: () => broker.renew(ANNE, id),
    async call(): Promise<TabCallView> {
      return eventually(
        async () => {
          const [first] = await broker.renew(ANNE, id);
          if (!first) throw new Error('nothing to do');
          return first;
        },
        { what: 'a call for the tab' },
      );
    },
    claim: (call: TabCallView) => broker.claim(ANNE, id, key(call)),
    brings: (call: TabCallView, { fence }: ClaimedTabCall, result: ToolResult) =>
      broker.finish(ANNE, id, key(call), { fence, result }),
    asks: (call: TabCallView, { fence }: ClaimedTabCall, requestedSchema: JsonObject, more: AskMore = {}) => {
      const { id: question = 'q1', ...rest } = more;
      return broker.ask(ANNE, id, key(call), {
        id: question,
        fence,
        question: { kind: 'form', message: 'Which?', requestedSchema, ...rest },
      });
    },
    leaves: () => broker.leave(ANNE, id),
  };
}

type AskMore = { id?: string; mayBelongTo?: string[] };

const getRun = async ({ storage }: RunBench, id: string): Promise<RunRecord | null> => storage.runs.getRun(ANNE, id);

async function untilStatus(bench: RunBench, runId: string, status: RunRecord['status']): Promise<void> {
  await eventually(async () => expect((await getRun(bench, runId))?.status).toBe(status), { what: status });
}

function asked(bench: RunBench, runId: string): readonly StoredInterrupt[] {
  return bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 9 });
}

describe('a tool of a tab', () => {
  test('is offered to the model under its own name, and called by the tab, as the ledger records', async () => {
    const { bench, broker, model, conversation } = await scene();
    const page = tab({ broker, conversation });
    await page.lends(NOTES);
    const runId = await bench.ask(conversation, 'Keep this');
    const call = await page.call();
    expect(call).toMatchObject({ tool: { serverId: 'browser-notes', name: 'note' }, claimed: false });
    expect(bench.storage.runs.readLedger(ANNE, runId)).toMatchObject([{ status: 'sent' }]);
    const claimed = await page.claim(call);
    expect(claimed).toMatchObject({ tool: { name: 'note' }, arguments: {} });
    await page.brings(call, claimed, answers('kept as 1'));
    await untilStatus(bench, runId, 'done');
    expect(transcriptLines(await bench.branch(conversation))).toEqual([
      'user: Keep this',
      'assistant: <tool_call>',
      'tool: kept as 1',
      'assistant: Kept.',
    ]);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['note']);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Notes are short.');
    expect(bench.storage.runs.readLedger(ANNE, runId)).toMatchObject([{ status: 'done' }]);
  });

  test('needs approval like any other, and again after its definition changes', async () => {
    const model = scriptedModel([calls({ name: 'note' }), says('Kept.'), calls({ name: 'note' }), says('Again.')]);
    const { bench, broker, conversation } = await scene({ model, configuration: {} });
    const page = tab({ broker, conversation });
    await page.lends(NOTES);
    const runId = await bench.ask(conversation, 'Keep this');
    await untilStatus(bench, runId, 'parked');
    const [first] = asked(bench, runId);
    expect(first?.interrupt).toMatchObject({ kind: 'approval', description: 'Keeps a note.' });
    await bench.runs.answer(ANNE, first?.id ?? '', { decision: 'approve', scope: 'always' });
    const call = await page.call();
    await page.brings(call, await page.claim(call), answers('1'));
    await untilStatus(bench, runId, 'done');

    const [note] = NOTES.tools;
    await page.lends({ ...NOTES, tools: [{ ...note, name: 'note', inputSchema: {}, description: 'Sends mail.' }] });
    const again = await bench.ask(conversation, 'And this');
    await untilStatus(bench, again, 'parked');
    expect(asked(bench, again)[0]?.interrupt).toMatchObject({
      kind: 'approval',
      changed: {
        hasMoved: false,
        differences: expect.arrayContaining([
          { path: 'description', before: '"Keeps a note."', after: '"Sends mail."' },
        ]) as unknown,
      },
    });
  });

  test('gets its server as a prefix if a server has a tool of the same name', async () => {
    const model = scriptedModel([says('Hm.')]);
    const { bench, broker, conversation } = await scene({ model, tools: { note: { call: () => answers('desk') } } });
    await tab({ broker, conversation }).lends(NOTES);
    await untilStatus(bench, await bench.ask(conversation, 'Who?'), 'done');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['note', 'browser-notes__note']);
  });

  test('is not offered if the conversation or the run has disabled it', async () => {
    const model = scriptedModel([says('One.'), says('Two.')]);
    const { bench, broker, conversation } = await scene({ model });
    await tab({ broker, conversation }).lends(NOTES);
    const off = { configuration: { servers: { 'browser-notes': false } } };
    const one = await bench.say(conversation, 'One', off);
    await untilStatus(bench, 'run' in one ? one.run.id : '', 'done');
    const two = await bench.say(conversation, 'Two', { configuration: { disabledTools: ['browser-notes/note'] } });
    await untilStatus(bench, 'run' in two ? two.run.id : '', 'done');
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([0, 0]);
  });

  test('sends the user no more requests during one call than a server may, and names no other conversation', async () => {
    const { bench, broker, conversation } = await scene();
    const page = tab({ broker, conversation });
    await page.lends(NOTES);
    const runId = await bench.ask(conversation, 'Keep this');
    const call = await page.call();
    const claimed = await page.claim(call);
    const { perCall } = MAX_OPEN_REQUESTS;
    const schema = { type: 'object', properties: { colour: { type: 'string' } } };
    const mayBelongTo = [conversation, 'of-others'];
    const ids = Array.from({ length: perCall + 3 }, (_, at) => `q${at}`);
    for (const [at, id] of ids.entries()) {
      const sent = page.asks(call, claimed, schema, { id, mayBelongTo });
      await (at < perCall ? sent : expect(sent).rejects.toMatchObject({ code: 'rate_limited' }));
    }
    // A repeated request is no further one.
    await page.asks(call, claimed, schema, { id: 'q0' });
    await eventually(() => expect(asked(bench, runId)).toHaveLength(perCall), { what: 'the interrupts' });
    for (const { interrupt } of asked(bench, runId)) expect(interrupt).toMatchObject({ mayBelongTo: [conversation] });
  });

  test('forwards requests of its server to the user through the run, and answers to the tab', async () => {
    const { bench, broker, conversation } = await scene();
    const page = tab({ broker, conversation });
    await page.lends(NOTES);
    const runId = await bench.ask(conversation, 'Keep this');
    const call = await page.call();
    const claimed = await page.claim(call);
    await page.asks(call, claimed, { type: 'object', properties: { colour: { type: 'string' } } });
    await eventually(() => expect(asked(bench, runId)).toHaveLength(1), { what: 'the interrupt' });
    const [form] = asked(bench, runId);
    expect(form).toMatchObject({ mode: 'live', interrupt: { kind: 'elicitation', message: 'Which?' } });
    await bench.runs.answer(ANNE, form?.id ?? '', { decision: 'accept', content: { colour: 'red' } });
    await eventually(
      async () =>
        expect((await page.call()).answers).toEqual({
          q1: { kind: 'form', action: 'accept', content: { colour: 'red' } },
        }),
      { what: 'the answer' },
    );
    await page.brings(call, claimed, answers('in red'));
    await untilStatus(bench, runId, 'done');
  });
});

describe('of two tabs', () => {
  test('one claims the call; the other gets a conflict, and its result is rejected', async () => {
    const at = await scene();
    const [one, two] = [tab(at, 'tab-1'), tab(at, 'tab-2')];
    await one.lends(NOTES);
    await two.lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    const call = await one.call();
    const claims = await Promise.allSettled([one.claim(call), two.claim(call)]);
    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const winner = claims[0].status === 'fulfilled' ? one : two;
    const loser = winner === one ? two : one;
    const claimed = await winner.claim(call);
    expect(await loser.seen()).toEqual([]);
    await expect(loser.brings(call, claimed, answers('mine'))).rejects.toMatchObject({ code: 'conflict' });
    await winner.brings(call, claimed, answers('kept'));
    // A result is reported again if the response was lost.
    await winner.brings(call, claimed, answers('kept'));
    await untilStatus(at.bench, runId, 'done');
    expect(transcriptLines(await at.bench.branch(at.conversation))).toContain('tool: kept');
  });

  test('one with another tool of the same name gets no call', async () => {
    const at = await scene();
    const [one, other] = [tab(at, 'tab-1'), tab(at, 'tab-2')];
    await other.lends({ ...NOTES, url: 'http://elsewhere:9/mcp' });
    await one.lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    const call = await one.call();
    expect(await other.seen()).toEqual([]);
    await expect(other.claim(call)).rejects.toMatchObject({ code: 'not_found' });
    await one.brings(call, await one.claim(call), answers('kept'));
    await untilStatus(at.bench, runId, 'done');
  });
});

describe('an absent tab', () => {
  test('is visibly waited for, and gets the call when it opens', async () => {
    const at = await scene({ model: scriptedModel([calls({ name: 'note' }), says('Kept.')]), configuration: {} });
    const page = tab(at);
    await page.lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    await untilStatus(at.bench, runId, 'parked');
    await page.leaves();
    await at.bench.runs.answer(ANNE, asked(at.bench, runId)[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await untilStatus(at.bench, runId, 'waiting_for_tab');
    expect(asked(at.bench, runId)[0]?.interrupt).toMatchObject({ kind: 'tab', name: 'note' });
    expect(at.bench.storage.runs.readLedger(ANNE, runId)).toMatchObject([{ status: 'planned' }]);

    const reloaded = tab(at, 'tab-2');
    await reloaded.lends(NOTES);
    const call = await reloaded.call();
    await reloaded.brings(call, await reloaded.claim(call), answers('kept'));
    await untilStatus(at.bench, runId, 'done');
    expect(transcriptLines(await at.bench.branch(at.conversation))).toContain('tool: kept');
  });

  test('can be declined', async () => {
    const at = await scene({ configuration: {} });
    const page = tab(at);
    await page.lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    await untilStatus(at.bench, runId, 'parked');
    await page.leaves();
    await at.bench.runs.answer(ANNE, asked(at.bench, runId)[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await untilStatus(at.bench, runId, 'waiting_for_tab');
    await at.bench.runs.answer(ANNE, asked(at.bench, runId)[0]?.id ?? '', { decision: 'decline' });
    await untilStatus(at.bench, runId, 'done');
    expect(transcriptLines(await at.bench.branch(at.conversation))[2]).toMatch(/^tool: .*did not wait/);
  });

  test('is not waited for after the run is cancelled', async () => {
    const at = await scene({ configuration: {} });
    await tab(at).lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    await untilStatus(at.bench, runId, 'parked');
    await tab(at).leaves();
    await at.bench.runs.answer(ANNE, asked(at.bench, runId)[0]?.id ?? '', { decision: 'approve', scope: 'once' });
    await untilStatus(at.bench, runId, 'waiting_for_tab');
    await at.bench.runs.cancel(ANNE, runId);
    await untilStatus(at.bench, runId, 'cancelled');
  });
});

describe('a tab that closes during a call', () => {
  async function claimedCall(more: Partial<RunBenchOptions> = {}) {
    const at = await scene(more);
    const page = tab(at);
    await page.lends(NOTES);
    const runId = await at.bench.ask(at.conversation, 'Keep this');
    const call = await page.call();
    return { ...at, page, runId, call, claimed: await page.claim(call) };
  }

  test('leaves the call in doubt: the user decides, and a repeated call goes to an open tab', async () => {
    const at = await claimedCall();
    await at.page.leaves();
    await untilStatus(at.bench, at.runId, 'parked');
    expect(asked(at.bench, at.runId)[0]?.interrupt).toMatchObject({ kind: 'in_doubt', name: 'note' });
    expect(at.bench.storage.runs.readLedger(ANNE, at.runId)).toMatchObject([{ status: 'in_doubt' }]);
    const next = tab(at, 'tab-2');
    await next.lends(NOTES);
    expect(await next.seen()).toEqual([]);
    await at.bench.runs.answer(ANNE, asked(at.bench, at.runId)[0]?.id ?? '', { decision: 'repeat' });
    const call = await next.call();
    const claimed = await next.claim(call);
    // The first tab comes back too late: the call was offered again.
    await expect(at.page.brings(at.call, at.claimed, answers('late'))).rejects.toMatchObject({ code: 'conflict' });
    await next.brings(call, claimed, answers('kept once more'));
    await untilStatus(at.bench, at.runId, 'done');
    expect(transcriptLines(await at.bench.branch(at.conversation))).toContain('tool: kept once more');
  });

  test('resolves the doubt when it returns with the result', async () => {
    const at = await claimedCall();
    await at.broker.streamEnded(ANNE, 'tab-1');
    await at.bench.storage.tabs.leave(ANNE, 'tab-1', 0);
    await untilStatus(at.bench, at.runId, 'parked');
    await at.page.seen();
    await at.page.brings(at.call, at.claimed, answers('kept all the same'));
    await untilStatus(at.bench, at.runId, 'done');
    expect(transcriptLines(await at.bench.branch(at.conversation))).toContain('tool: kept all the same');
    expect(at.bench.events(at.runId).filter(({ type }) => type === 'tool_started')).toHaveLength(1);
  });

  test('is notified when the run is cancelled', async () => {
    const at = await claimedCall();
    await at.bench.runs.cancel(ANNE, at.runId);
    await untilStatus(at.bench, at.runId, 'cancelled');
    expect(await at.page.seen()).toEqual([]);
    await expect(at.page.brings(at.call, at.claimed, answers('late'))).rejects.toMatchObject({ code: 'conflict' });
    expect(transcriptLines(await at.bench.branch(at.conversation))[2]).toMatch(/^tool: .*cancelled/);
  });

  test('a process that crashes meanwhile loses nothing: the next one gets the result', async () => {
    const at = await claimedCall();
    at.bench.die();
    const model = scriptedModel([says('Kept.')]);
    const next = await openBench(at.folder, { model, configuration: UNASKED });
    const broker = createBroker(next);
    const page = tab({ broker, conversation: at.conversation });
    await page.brings(at.call, at.claimed, answers('kept meanwhile'));
    await untilStatus(next, at.runId, 'done');
    expect(transcriptLines(await next.branch(at.conversation))).toEqual([
      'user: Keep this',
      'assistant: <tool_call>',
      'tool: kept meanwhile',
      'assistant: Kept.',
    ]);
  });
});

test('calls are private to their owner', async () => {
  const at = await scene();
  const page = tab(at);
  await page.lends(NOTES);
  await at.bench.ask(at.conversation, 'Keep this');
  const call = await page.call();
  await expect(at.broker.offer(BERT, 'tab-1', at.conversation, { servers: [] })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(at.broker.claim(BERT, 'tab-1', call)).rejects.toMatchObject({ code: 'not_found' });
  await page.brings(call, await page.claim(call), answers('kept'));
});
