import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { shownDuration } from '../chat/tools/call-status.ts';
import { keepTimes } from './known-times.ts';
import { createEvents, view } from './test-fixtures/test-events.ts';
import {
  ANSWER,
  ASKING,
  USER_MESSAGE,
  RESULT,
  WHOLE_RUN,
  firstCall,
  open,
  play,
  rows,
} from './test-fixtures/test-run.ts';
import { openTranscript } from './transcript.ts';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

it('shows durations of calls and reasoning after a reload if this browser observed them', () => {
  const stored = view([USER_MESSAGE, ASKING, RESULT, ANSWER]);
  const before = firstCall(openTranscript(stored));
  expect(before === undefined ? undefined : shownDuration(before)).toBeNull();

  const watched = play(open(), createEvents('r1', WHOLE_RUN));
  keepTimes(rows(watched));
  const call = firstCall(watched);
  const again = firstCall(openTranscript(stored));
  if (call === undefined || again === undefined) throw new Error('no call');
  expect(shownDuration(call)).not.toBeNull();
  expect(shownDuration(again)).toBe(shownDuration(call));
  const durations = (transcript: typeof watched) =>
    rows(transcript).flatMap((row) =>
      row.kind === 'assistant'
        ? row.blocks.flatMap((block) => (block.type === 'reasoning' ? block.durationMs : []))
        : [],
    );
  expect(durations(openTranscript(stored))).toEqual(durations(watched));
});
