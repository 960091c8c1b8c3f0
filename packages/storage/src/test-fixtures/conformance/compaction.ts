import { describe, expect, test } from 'vitest';
import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { RUN_EVENT_VERSION } from '@toolyard/protocol';
import { ANNE, createCommit, deltas, reply } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';

/** Compaction keeps the content of an ended run, without its deltas. */
export function describeCompaction(bench: ConformanceBench): void {
  describe('compaction', () => {
    const message = reply('r1.0', { parentId: 'r1.question', runId: 'r1', text: 'Nine.' });
    const bodies: RunEventBody[] = [
      { type: 'message_started', messageId: 'r1.0', parentId: 'r1.question', model: 'demo' },
      { type: 'reasoning_delta', messageId: 'r1.0', text: 'Hm.' },
      { type: 'text_delta', messageId: 'r1.0', text: 'Ni' },
      { type: 'text_delta', messageId: 'r1.0', text: 'ne.' },
      { type: 'tool_call_delta', messageId: 'r1.0', callId: 'k1', argumentsText: '{' },
      { type: 'tool_progress', callId: 'k1', progress: 1 },
      { type: 'message_finished', message },
      { type: 'run_finished', status: 'done', usage: { inputTokens: 1, outputTokens: 1 } },
    ];
    const events = bodies.map((body, index): RunEvent => ({
      ...{ v: RUN_EVENT_VERSION, seq: index + 1, runId: 'r1', step: 0, attempt: 1, at: 1_000 },
      ...body,
    }));

    test('keeps complete events, and readers with any cursor receive the rest in order', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { events, status: 'done' }));
      expect(await bench.store.compact(1_001, 10)).toBe(1);
      expect(await bench.store.readEvents(ANNE, 'r1', 0, 10)).toEqual([events[0], events[6], events[7]]);
      expect(await bench.seqs('r1', 3)).toEqual([7, 8]);
      expect(await bench.seqs('r1', 3, 1)).toEqual([7]);
      expect(await bench.seqs('r1', 8)).toEqual([]);
      expect(await bench.store.getRun(ANNE, 'r1')).toMatchObject({ lastSeq: 8 });
    });

    test('compacts only runs that ended before, oldest first, each once', async () => {
      for (const [index, id] of ['late', 'early', 'middle', 'running'].entries()) {
        await bench.startRun(id);
        const at = { early: 1, middle: 2, late: 3 }[id] ?? index;
        const stamped = deltas(id, 0, 2).map((event) => ({ ...event, at }));
        await bench.commit(createCommit(id, { events: stamped, ...(id === 'running' ? {} : { status: 'done' }) }));
      }
      expect(await bench.store.compact(3, 1)).toBe(1);
      expect([await bench.seqs('early'), await bench.seqs('middle')]).toEqual([[], [1, 2]]);
      expect(await bench.store.compact(3, 10)).toBe(1);
      expect(await bench.store.compact(3, 10)).toBe(0);
      expect([await bench.seqs('middle'), await bench.seqs('late'), await bench.seqs('running')]).toEqual([
        [],
        [1, 2],
        [1, 2],
      ]);
    });
  });
}
