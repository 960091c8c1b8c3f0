import type { RunEvent } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { expect } from 'vitest';
import type { RunBench } from './setup.ts';
import { ANNE } from './setup.ts';

export function eventTypes(events: readonly RunEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** The events of a run of Anne after its end, with consecutive numbers. */
export async function endedRunEvents(bench: RunBench, runId: string): Promise<readonly RunEvent[]> {
  await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: 'the end of the run' });
  const events = bench.events(runId);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  return events;
}
