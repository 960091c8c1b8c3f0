import { describe, expect, it } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { EventQueue } from './event-queue.ts';

function event(seq: number): RunEvent {
  return { v: 1, seq, runId: 'r', step: 0, attempt: 1, at: 0, type: 'text_delta', messageId: 'm', text: '' };
}

describe('EventQueue', () => {
  it('delivers earlier and later events in order', async () => {
    const queue = new EventQueue();
    queue.push(event(1));
    queue.push(event(2));
    const reader = queue.read();
    const seen: number[] = [];
    const reading = (async () => {
      for (let next = await reader.next(); !next.done; next = await reader.next()) seen.push(next.value.seq);
    })();
    await Promise.resolve();
    queue.push(event(3));
    queue.push(event(4));
    queue.end();
    await reading;
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('answers every waiting read', async () => {
    const queue = new EventQueue();
    const reader = queue.read();
    const waiting = [reader.next(), reader.next(), reader.next()];
    queue.push(event(1));
    queue.push(event(2));
    queue.end();
    const results = await Promise.all(waiting);
    expect(results.map((result) => (result.done ? 'end' : result.value.seq))).toEqual([1, 2, 'end']);
  });

  it('rejects a second reader', () => {
    const queue = new EventQueue();
    queue.read();
    expect(() => queue.read()).toThrow(/another reader reads them already/);
  });

  it('keeps no events after the reader has left', async () => {
    const queue = new EventQueue();
    const reader = queue.read();
    await reader.return?.();
    queue.push(event(1));
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});
