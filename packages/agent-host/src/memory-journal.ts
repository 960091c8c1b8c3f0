import type { Clock, RunEvent, RunEventBody, RunJournal } from '@toolyard/protocol';
import { RUN_EVENT_VERSION } from '@toolyard/protocol';

/** A journal in memory: events are published at once and lost with the process. */
export function createMemoryJournal(of: {
  runId: string;
  clock: Clock;
  publish: (event: RunEvent) => void;
}): RunJournal {
  const { runId, clock, publish } = of;
  let seq = 0;
  let step = 0;
  return {
    attempt: 1,
    beginStep(number) {
      step = number;
    },
    append(body: RunEventBody) {
      publish({ v: RUN_EVENT_VERSION, seq: ++seq, runId, step, attempt: 1, at: clock.now(), ...body });
    },
    commit() {},
  };
}
