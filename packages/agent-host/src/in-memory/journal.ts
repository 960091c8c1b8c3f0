import type { RunPoint } from '@toolyard/agent-runtime';
import type { Clock, RunEvent, RunEventBody, RunJournal } from '@toolyard/protocol';
import { RUN_EVENT_VERSION } from '@toolyard/protocol';

/**
 * A journal in memory: events are published at once and lost with the process. `interrupted`: the attempt of a step that
 * ended with its process; the journal begins with the next one. `save`: stores the run after each step.
 */
export function createMemoryJournal(of: {
  runId: string;
  clock: Clock;
  publish: (event: RunEvent) => void;
  interrupted?: { seq: number; step: number; attempt: number };
  save?: (saved: { point: RunPoint; seq: number; attempt: number }) => Promise<void>;
}): RunJournal {
  const { runId, clock, publish, save, interrupted } = of;
  let { seq, step, attempt } = interrupted ?? { seq: 0, step: 0, attempt: 1 };
  const append = (body: RunEventBody): void =>
    publish({ v: RUN_EVENT_VERSION, seq: ++seq, runId, step, attempt, at: clock.now(), ...body });
  if (interrupted) {
    append({ type: 'attempt_abandoned', messageId: null });
    attempt++;
  }
  return {
    get attempt() {
      return attempt;
    },
    beginStep(number) {
      if (number !== step) attempt = 1;
      step = number;
    },
    append,
    commit(point: RunPoint) {
      return save?.({ point, seq, attempt: point.state.step === step ? attempt : 1 });
    },
  };
}
