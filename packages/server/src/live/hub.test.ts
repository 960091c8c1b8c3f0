import { expect, test } from 'vitest';
import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import { toLiveEvent, createLiveHub, eventJson } from './hub.ts';
import { formatCursor, parseCursor } from './cursor.ts';

const event: RunEvent = { v: 1, seq: 1, runId: 'r1', step: 0, attempt: 1, at: 5, type: 'run_parked' };

test('the hub notifies only the owner, and every owner of global changes', () => {
  const hub = createLiveHub();
  const received: [string, LiveEvent][] = [];
  const createListener = (who: string) => ({
    receive: (events: readonly LiveEvent[]) => void received.push(...events.map((e): [string, LiveEvent] => [who, e])),
    missed: () => {},
  });
  const leave = hub.listen('anne', createListener('anne'));
  hub.listen('bert', createListener('bert'));
  hub.runEvents('anne', [event]);
  hub.changed(null, 'servers');
  leave();
  hub.changed('anne', 'queue', 'c1');
  expect(received).toEqual([
    ['anne', { type: 'run', event }],
    ['anne', { type: 'changed', what: 'servers' }],
    ['bert', { type: 'changed', what: 'servers' }],
  ]);
});

test('an event is encoded once for all readers, both alone and inside the stream of all events', () => {
  let encoded = 0;
  const counted = { ...event, toJSON: () => ({ ...event, encoded: ++encoded }) };
  const own = eventJson(counted);
  expect(own).toBe(JSON.stringify({ ...event, encoded: 1 }));
  expect(eventJson(toLiveEvent(counted))).toBe(`{"type":"run","event":${own}}`);
  expect(encoded).toBe(1);
  expect(JSON.parse(eventJson(toLiveEvent(event)))).toEqual({ type: 'run', event });
});

test('a cursor survives formatting and parsing, whatever the ids; invalid ones are rejected', () => {
  const position = {
    settledUntil: 1_700_000_000_000,
    runs: new Map([
      ['r;1=2', 3],
      ['ü', 0],
    ]),
  };
  const text = formatCursor(position);
  expect(text).toMatch(/^[\x21-\x7e]+$/);
  expect(parseCursor(text)).toEqual(position);
  for (const foreign of ['', 'x', '12;', '12;a', '12;a=b', '12;%=1', '12;a=1=2', '-1', '1e3']) {
    expect(parseCursor(foreign)).toBeNull();
  }
});
