import { afterEach, describe, expect, test } from 'vitest';
import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import { RUN_EVENT_VERSION, systemClock } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import type { RunBench } from '../runs/test-fixtures/setup.ts';
import { ANNE, BERT, answers, cleanUp, openBench, temporaryFolder } from '../runs/test-fixtures/setup.ts';
import { calls, hangsAfter, says, scriptedModel } from '../runs/test-fixtures/scripted-model.ts';
import { createLiveStreams } from './streams.ts';

const stops: AbortController[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop.abort();
  await cleanUp();
});

function signal(): AbortController {
  const stop = new AbortController();
  stops.push(stop);
  return stop;
}

/** Reads a run to its end, or until stopped. */
async function readRun(bench: RunBench, runId: string, after = 0, stop = signal()): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const stream = await bench.streams.readRun(ANNE, runId, after, stop.signal);
  if (!stream) throw new Error('no such run');
  for await (const batch of stream) events.push(...batch);
  return events;
}

/** A tab that reads all events, records them and keeps its cursor. */
function openTab(bench: RunBench, cursor: string | null, principal = ANNE, maxBacklog?: number) {
  const stop = signal();
  const tab = { events: [] as LiveEvent[], cursors: [] as string[], cursor, pause: Promise.resolve(), stop };
  const { storage, hub } = bench;
  const streams =
    maxBacklog === undefined
      ? bench.streams
      : createLiveStreams({ store: storage.runs, hub, clock: systemClock, boot: 'b', maxBacklog });
  const done = (async () => {
    for await (const batch of streams.readAll(principal, cursor, stop.signal)) {
      await tab.pause;
      tab.events.push(...batch.events);
      tab.cursors.push(...batch.events.map(() => batch.cursor));
      tab.cursor = batch.cursor;
    }
  })();
  return Object.assign(tab, {
    done,
    runEvents: () => tab.events.flatMap((event) => (event.type === 'run' ? [event.event] : [])),
    finished: (runId: string) =>
      tab.events.some((e) => e.type === 'run' && e.event.runId === runId && e.event.type === 'run_finished'),
  });
}

const seqs = (events: readonly RunEvent[], runId: string): number[] =>
  events.filter((event) => event.runId === runId).map(({ seq }) => seq);
const upTo = (last: number, from = 1): number[] => Array.from({ length: last - from + 1 }, (_none, i) => from + i);

describe('the events of one run', () => {
  test('reach two readers, live and from the store, each once, to the end', async () => {
    const hanging = hangsAfter('Hel', 'lo');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    const early = readRun(bench, runId);
    await eventually(() => bench.events(runId).length >= 4);
    const late = readRun(bench, runId);
    hanging.go(' you');
    const stored = await bench.rest(runId);
    expect(await early).toEqual(stored);
    expect(await late).toEqual(stored);
    expect(await readRun(bench, runId, 3)).toEqual(stored.slice(3));
  });

  test('end the stream after the end of the run', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Hi')]) });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    const { length } = await bench.rest(runId);
    expect(await readRun(bench, runId, length)).toEqual([]);
    expect(await readRun(bench, runId, length + 5)).toEqual([]);
  });

  test('a reader that disconnects does not affect the run', async () => {
    const hanging = hangsAfter('Hello');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const runId = await bench.ask(await bench.conversation(), 'Hello');
    const stop = signal();
    const reading = readRun(bench, runId, 0, stop);
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    stop.abort();
    await reading;
    hanging.go(' you');
    expect((await bench.rest(runId)).at(-1)).toMatchObject({ status: 'done' });
  });
});

describe('all events of one owner', () => {
  test('start with hello, and contain each run once, without those of other owners', async () => {
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('A'), says('B')]) });
    const tab = openTab(bench, null);
    const other = openTab(bench, null, BERT);
    await eventually(() => tab.events.length > 0 && other.events.length > 0);
    const first = await bench.ask(await bench.conversation(), 'One');
    const second = await bench.ask(await bench.conversation(), 'Two');
    await eventually(() => tab.finished(first) && tab.finished(second));
    expect(tab.events[0]).toMatchObject({ type: 'hello' });
    expect(seqs(tab.runEvents(), first)).toEqual(upTo(bench.events(first).length));
    expect(seqs(tab.runEvents(), second)).toEqual(upTo(bench.events(second).length));
    expect(tab.events.some((event) => event.type === 'changed' && event.what === 'conversations')).toBe(true);
    expect(other.events.map(({ type }) => type)).toEqual(['hello']);
  });

  test('a new reader gets active runs from their start, and no ended ones', async () => {
    const hanging = hangsAfter('B');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('A'), hanging.answer]) });
    const first = await bench.ask(await bench.conversation(), 'One');
    await bench.rest(first);
    const second = await bench.ask(await bench.conversation(), 'Two');
    await eventually(() => bench.events(second).some(({ type }) => type === 'text_delta'));
    const tab = openTab(bench, null);
    await eventually(() => tab.runEvents().some(({ type }) => type === 'text_delta'));
    hanging.go();
    await eventually(() => tab.finished(second));
    expect(seqs(tab.runEvents(), first)).toEqual([]);
    expect(seqs(tab.runEvents(), second)).toEqual(upTo(bench.events(second).length));
  });

  test('a new reader gets nothing of a run that waits for the user until it is answered', async () => {
    const model = scriptedModel([calls({ name: 'send', arguments: {} }), says('Done')]);
    const tools = { send: { inInterrupt: true, call: () => answers('sent') } };
    const bench = await openBench(temporaryFolder(), { model, tools });
    const runId = await bench.ask(await bench.conversation(), 'Do it');
    const before = await bench.rest(runId);
    const tab = openTab(bench, null);
    await eventually(() => tab.events.length > 0);
    const [asked] = bench.storage.runs.listInterrupts(ANNE, { status: 'open', runId, limit: 1 });
    await bench.runs.answer(ANNE, asked?.id ?? '', { decision: 'approve', scope: 'once' });
    await eventually(() => tab.finished(runId));
    expect(seqs(tab.runEvents(), runId)).toEqual(upTo(bench.events(runId).length, before.length + 1));
  });

  test('each event arrives once from any cursor, also of runs that ended or started in between', async () => {
    const hanging = hangsAfter('B', 'C');
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([says('A'), hanging.answer, calls({ name: 'no' }), says('D')]),
    });
    const whole = openTab(bench, null);
    const runIds = [await bench.ask(await bench.conversation(), 'One')];
    await bench.rest(runIds[0] ?? '');
    runIds.push(await bench.ask(await bench.conversation(), 'Two'));
    await eventually(() => bench.events(runIds[1] ?? '').some(({ type }) => type === 'text_delta'));
    runIds.push(await bench.ask(await bench.conversation(), 'Three'));
    await bench.rest(runIds[2] ?? '');
    hanging.go('E');
    await eventually(() => runIds.every((runId) => whole.finished(runId)));

    for (const [index, cursor] of whole.cursors.entries()) {
      // Earlier events of the same batch are covered by the cursor too.
      const known = whole.cursors.lastIndexOf(cursor);
      if (index !== known) continue;
      const rest = whole.events.slice(known + 1).flatMap((event) => (event.type === 'run' ? [event.event] : []));
      const tab = openTab(bench, cursor);
      await eventually(() => rest.every(({ runId, type }) => type !== 'run_finished' || tab.finished(runId)));
      for (const runId of runIds) {
        expect(seqs(tab.runEvents(), runId)).toEqual(seqs(rest, runId));
      }
      tab.stop.abort();
      await tab.done;
    }
  });

  test('a reader that reconnects gets a run that started and ended meanwhile, even if the clock was set back', async () => {
    let ahead = 3_600_000;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const model = scriptedModel([says('A'), says('B'), says('C')]);
    const bench = await openBench(temporaryFolder(), { clock, model });
    const first = await bench.ask(await bench.conversation(), 'One');
    await bench.rest(first);
    const tab = openTab(bench, null);
    await eventually(() => tab.events.length > 0);
    const second = await bench.ask(await bench.conversation(), 'Two');
    await eventually(() => tab.finished(second));
    tab.stop.abort();
    await tab.done;
    ahead = 0;
    const third = await bench.ask(await bench.conversation(), 'Three');
    await bench.rest(third);

    const back = openTab(bench, tab.cursor);
    await eventually(() => back.finished(third));
    expect(seqs(back.runEvents(), third)).toEqual(upTo(bench.events(third).length));
    // Known events are not repeated.
    expect(back.runEvents().every(({ runId }) => runId === third)).toBe(true);
  });

  test('a reader that reconnects gets a run that was pending when it left, though a later one had ended', async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const bench = await openBench(temporaryFolder(), { clock, model: scriptedModel([says('A')]) });
    const tab = openTab(bench, null);
    await eventually(() => tab.events.length > 0);
    const conversationId = await bench.conversation();
    const parts = [{ type: 'text' as const, text: 'Wait' }];
    const { run, fence, message, state } = await bench.runs.startInTab(ANNE, 'tab-1', { conversationId, parts });
    ahead = 60_000;
    const later = await bench.ask(await bench.conversation(), 'One');
    await eventually(() => tab.finished(later));
    tab.stop.abort();
    await tab.done;
    if (message === null) throw new Error('nothing was asked');
    const { point, ...rest } = state as { point: { state: object; context: object } };
    const stamp = { v: RUN_EVENT_VERSION, runId: run.id, step: 0, attempt: 1, at: clock.now() };
    await bench.runs.commitFromTab(
      ANNE,
      run.id,
      {
        fence,
        number: 1,
        baseSeq: 0,
        events: [
          { ...stamp, seq: 1, type: 'run_started', conversationId, place: 'browser', model: 'scripted-1', message },
          { ...stamp, seq: 2, type: 'run_finished', status: 'done', usage: {}, cost: null },
        ] as RunEvent[],
        status: 'done',
        release: true,
        state: { ...rest, point: { ...point, state: { ...point.state, status: 'done' } } },
      },
      { tabId: 'tab-1' },
    );

    const back = openTab(bench, tab.cursor);
    await eventually(() => back.finished(run.id));
    expect(seqs(back.runEvents(), run.id)).toEqual([1, 2]);
    expect(back.runEvents().every(({ runId }) => runId === run.id)).toBe(true);
  });

  test('an unknown cursor is ignored, and that of another owner reveals nothing', async () => {
    const hanging = hangsAfter('secret');
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([hanging.answer]) });
    const runId = await bench.ask(await bench.conversation(), 'One');
    await eventually(() => bench.events(runId).some(({ type }) => type === 'text_delta'));
    const mine = openTab(bench, 'rubbish;;=');
    await eventually(() => mine.runEvents().some(({ type }) => type === 'text_delta'));
    const other = openTab(bench, `0;${runId}=0`, BERT);
    await eventually(() => other.events.length > 0);
    hanging.go();
    await eventually(() => mine.finished(runId));
    expect(other.runEvents()).toEqual([]);
  });

  test('a reader that is too slow reads from the store and misses nothing', async () => {
    const wordList = Array.from({ length: 300 }, (_none, index) => `${index} `);
    const bench = await openBench(temporaryFolder(), {
      model: scriptedModel([
        async function* () {
          for (const text of wordList) {
            yield [
              { type: 'text', text },
              { type: 'reasoning', text },
            ];
            await new Promise((resolve) => setImmediate(resolve));
          }
          yield [{ type: 'finish', reason: 'stop' }];
        },
      ]),
    });
    const tab = openTab(bench, null, ANNE, 20);
    await eventually(() => tab.events.length > 0);
    let go = (): void => {};
    tab.pause = new Promise((resolve) => (go = resolve));
    const runId = await bench.ask(await bench.conversation(), 'Count');
    await bench.rest(runId);
    go();
    await eventually(() => tab.finished(runId));
    expect(seqs(tab.runEvents(), runId)).toEqual(upTo(bench.events(runId).length));
    // A second hello makes the page reload its other data.
    expect(tab.events.filter(({ type }) => type === 'hello').length).toBeGreaterThan(1);
  });
});
