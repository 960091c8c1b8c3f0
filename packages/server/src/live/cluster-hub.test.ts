import { beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import type { NotifiedRun } from '@toolyard/storage';
import { createFakeClock, eventually } from '@toolyard/testing';
import { createLiveHub } from './hub.ts';
import { createClusterHub } from './cluster-hub.ts';

function createEvent(runId: string, seq: number): RunEvent {
  return { v: 1, runId, seq, step: 0, attempt: 1, at: seq, type: 'text_delta', messageId: 'm', text: String(seq) };
}

/** What another process has stored, and its notifications. */
let stored: RunEvent[];
let asked: (readonly NotifiedRun[])[];
let failing: boolean;
let notify: (runs: Record<string, number>) => void;
let received: string[];
let missed: number;
let log: string[];

beforeEach(() => {
  [stored, asked, received, log] = [[], [], [], []];
  [failing, missed] = [false, 0];
  let receive: (bodies: readonly string[]) => void = () => undefined;
  const hub = createLiveHub();
  const relayed = createClusterHub(hub, {
    notifications: {
      send: () => Promise.resolve(),
      listen: (onWords) => void (receive = onWords),
      close: () => Promise.resolve(),
      readEvents(runs, limit) {
        asked.push(runs);
        if (failing) return Promise.reject(new Error('The database is away.'));
        const events = runs.flatMap(({ runId, afterSeq }) =>
          stored.filter((event) => event.runId === runId && event.seq > afterSeq),
        );
        return Promise.resolve(events.slice(0, limit));
      },
    },
    clock: createFakeClock(),
    log: (line) => log.push(line),
  });
  relayed.start({ onWake: () => undefined, onServers: () => undefined });
  for (const runId of ['r1', 'r2', 'r3']) {
    relayed.listenToRun('anne', runId, {
      receive: (events) => received.push(...events.map(({ seq }) => `${runId} ${String(seq)}`)),
      missed: () => missed++,
    });
  }
  notify = (runs) => receive([JSON.stringify({ runs: { anne: runs }, changed: [], wake: [] })]);
});

test('reads all runs of a notification together, and only those with subscribers', async () => {
  stored = [createEvent('r1', 1), createEvent('r2', 1), createEvent('r3', 1), createEvent('r4', 1)];
  notify({ r1: 1, r2: 1, r3: 1, r4: 1 });
  await eventually(() => received.length === 3);
  expect(asked.map((runs) => runs.map(({ runId }) => runId))).toEqual([['r1', 'r2', 'r3']]);
});

test('reads events that arrive during a read in the next one, each once', async () => {
  stored = [createEvent('r1', 1)];
  notify({ r1: 1 });
  await eventually(() => received.length === 1);
  stored = [1, 2, 3].map((seq) => createEvent('r1', seq));
  notify({ r1: 2 });
  notify({ r1: 3 });
  await eventually(() => received.length === 3);
  notify({ r1: 3 });
  expect(received).toEqual(['r1 1', 'r1 2', 'r1 3']);
});

test('continues with more events than fit into one read', async () => {
  stored = [createEvent('r1', 1), createEvent('r2', 1)];
  notify({ r1: 1, r2: 1 });
  await eventually(() => received.length === 2);
  const last = 3_000;
  stored = ['r1', 'r2'].flatMap((runId) =>
    Array.from({ length: last }, (_none, index) => createEvent(runId, index + 1)),
  );
  notify({ r1: last, r2: last });
  await eventually(() => received.length === 2 * last);
  expect(new Set(received).size).toBe(2 * last);
});

test('logs a failed read, and makes subscribers read from the store', async () => {
  failing = true;
  notify({ r1: 1 });
  await eventually(() => missed > 0);
  expect(log).toEqual([expect.stringContaining('The database is away.')]);
  failing = false;
  stored = [createEvent('r1', 2)];
  notify({ r1: 2 });
  await eventually(() => received.includes('r1 2'));
});

test('does not retry failed notifications at shutdown, so that a process without a database can exit', async () => {
  const clock = createFakeClock();
  let tried = 0;
  const relayed = createClusterHub(createLiveHub(), {
    notifications: {
      send: () => (tried++, Promise.reject(new Error('The database is away.'))),
      listen: () => undefined,
      close: () => Promise.resolve(),
      readEvents: () => Promise.resolve([]),
    },
    clock,
    log: () => undefined,
  });
  relayed.wake('r1');
  await relayed.flush();
  await clock.advance(60_000);
  expect(tried).toBe(1);
});
