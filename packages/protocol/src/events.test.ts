import { expect, test } from 'vitest';
import type { FactEvent } from './events.ts';
import type { RunEventBody } from './schemas/run-events.ts';
import { ignoreEvent, ignoreUnknownEvent } from './events.ts';

/** The union plus an event that no reader handles and no list names. `npm test` checks the types of this file. */
type WithNewEvent = RunEventBody | { type: 'message_moved'; messageId: string };

function readSome(event: WithNewEvent): string {
  switch (event.type) {
    case 'run_finished':
      return event.status;
    default:
      // @ts-expect-error -- a new event does not compile until the reader handles it or it is listed
      ignoreEvent<Exclude<FactEvent, 'run_finished'>>(event);
      return 'ignored';
  }
}

function readAll(event: Extract<WithNewEvent, { type: 'run_parked' | 'message_moved' }>): string {
  switch (event.type) {
    case 'run_parked':
      return 'parked';
    default:
      // @ts-expect-error -- likewise for a reader that handles all events
      ignoreUnknownEvent(event);
      return 'ignored';
  }
}

test('ignores an event of a newer version at run time, but does not compile before it is handled or listed', () => {
  const event: WithNewEvent = { type: 'message_moved', messageId: 'm' };
  expect([readSome(event), readAll(event)]).toEqual(['ignored', 'ignored']);
});

test('does not ignore a fact without its name', () => {
  const event: RunEventBody = { type: 'run_finished', status: 'done', usage: {} };
  // @ts-expect-error -- `run_finished` is not progress
  expect(() => ignoreEvent(event)).not.toThrow();
});
