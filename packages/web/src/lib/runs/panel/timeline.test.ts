import { describe, expect, it } from 'vitest';
import type { RunStep } from '@toolyard/protocol';
import { createScale, shortenedIn, toTimeline } from './timeline.ts';

const HOUR = 3_600_000;

function step(more: Partial<RunStep>): RunStep {
  const empty = { calls: [], questions: [], steered: [], notices: [], attempt: 1, instruction: 'finish' as const };
  return { step: 0, startedAt: 0, endedAt: 0, ...empty, ...more };
}

const model = (messageId: string, durationMs: number | null) => ({
  messageId,
  model: 'm',
  parentId: null,
  durationMs,
  finishReason: 'stop' as const,
  calls: [],
});
const call = (callId: string, startedAt: number | null, durationMs: number | null) => ({
  callId,
  name: callId,
  tool: { serverId: 's', name: callId },
  arguments: {},
  startedAt,
  durationMs,
  result: durationMs === null ? null : { content: [], isError: false, outcome: 'done' as const },
});
const runInterrupt = (askedAt: number, closedAt: number | null) => ({
  interrupt: {
    kind: 'approval' as const,
    id: `q${String(askedAt)}`,
    callId: 'a',
    tool: { serverId: 's', name: 'a' },
    name: 'a',
    arguments: {},
  },
  live: false,
  askedAt,
  status: closedAt === null ? ('open' as const) : ('answered' as const),
  answer: null,
  closedAt,
});

describe('run timeline', () => {
  it('lists everything with a duration, in the order of its start', () => {
    const entries = toTimeline([
      step({ step: 1, instruction: 'call_llm', startedAt: 0, endedAt: 100, model: model('m1', 100) }),
      step({
        step: 2,
        instruction: 'request_human_approve',
        startedAt: 100,
        endedAt: 110,
        questions: [runInterrupt(105, 500)],
      }),
      step({
        step: 3,
        instruction: 'call_tools_batch',
        startedAt: 500,
        endedAt: 700,
        calls: [call('b', 510, 50), call('a', 505, 190)],
      }),
      step({ step: 4, instruction: 'finish', startedAt: 700, endedAt: 700 }),
    ]);
    expect(entries.map(({ key, from, to }) => [key, from, to])).toEqual([
      ['1.1:model', 0, 100],
      ['2.1:q105', 105, 500],
      ['3.1:a', 505, 695],
      ['3.1:b', 510, 560],
    ]);
  });

  it('extends entries in progress and ends abandoned ones', () => {
    const entries = toTimeline([
      step({ step: 1, instruction: 'call_llm', startedAt: 0, endedAt: 80, abandoned: true, model: model('m1', null) }),
      step({ step: 1, attempt: 2, instruction: 'call_llm', startedAt: 90, endedAt: null, model: model('m2', null) }),
    ]);
    expect(entries.map(({ to, abandoned }) => [to, abandoned])).toEqual([
      [80, true],
      [null, false],
    ]);
  });

  it('shortens weeks of waiting so that seconds of work stay visible', () => {
    const entries = toTimeline([
      step({ step: 1, instruction: 'call_llm', startedAt: 0, endedAt: 1000, model: model('m1', 1000) }),
      step({ step: 2, startedAt: 1000, endedAt: 1000, questions: [runInterrupt(1000, 400 * HOUR)] }),
      step({
        step: 3,
        instruction: 'call_tool',
        startedAt: 400 * HOUR,
        endedAt: 400 * HOUR + 1000,
        calls: [call('a', 400 * HOUR, 1000)],
      }),
    ]);
    const place = createScale(entries, 0);
    expect(place(0)).toBe(0);
    expect(place(1000)).toBeGreaterThan(0.4);
    expect(place(400 * HOUR)).toBeLessThan(0.6);
    expect(place(400 * HOUR + 1000)).toBe(1);
    expect([...shortenedIn(entries, 0)]).toEqual(['2.1:q1000']);
    expect(place(200 * HOUR)).toBeCloseTo((place(1000) + place(400 * HOUR)) / 2, 5);
  });

  it('marks no pause that is drawn to scale, nor one during which something executed', () => {
    const entries = toTimeline([
      step({ step: 1, instruction: 'call_llm', startedAt: 0, endedAt: 1000, model: model('m1', 1000) }),
      step({
        step: 2,
        instruction: 'call_tool',
        startedAt: 1000,
        endedAt: 9000,
        calls: [call('a', 1000, 8000)],
        questions: [runInterrupt(900, 1100), runInterrupt(1200, 8900), runInterrupt(9000, 9500)],
      }),
    ]);
    expect([...shortenedIn(entries, 0)]).toEqual([]);
  });

  it('handles zero durations and empty runs', () => {
    expect(createScale([], 5)(5)).toBe(1);
    const entries = toTimeline([step({ notices: [{ level: 'info', code: 'x', text: 'Hm' }] })]);
    expect(createScale(entries, 0)(0)).toBe(0);
  });
});
