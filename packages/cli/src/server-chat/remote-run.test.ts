import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { createFakeClock, eventually } from '@toolyard/testing';
import type { ServerClient } from '../server/server-client.ts';
import { ServerLost, ServerUnreachable } from '../server/server-lost.ts';
import { Reconnector } from './reconnector.ts';
import { RemoteRun } from './remote-run.ts';

const DONE: RunEventBody = { type: 'run_finished', status: 'done', usage: {} };

function frames(...events: [number, RunEventBody][]): string {
  return events
    .map(([seq, body]) => {
      const event: RunEvent = { v: 1, seq, runId: 'r', step: 0, attempt: 1, at: 0, ...body };
      return `id: ${seq}\nevent: run\ndata: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

/** A server with scripted connections. One that ends in 'silence' stays open. */
function scripted(script: readonly ({ text: string; then: 'end' | 'break' | 'silence' } | 'away')[]) {
  const clock = createFakeClock();
  const cursors: string[] = [];
  const lines: string[] = [];
  const open: ServerClient['open'] = async (_path, { signal, headers } = {}) => {
    const next = script[cursors.length] ?? 'away';
    cursors.push(headers?.['last-event-id'] ?? '');
    if (next === 'away') throw new ServerUnreachable({ code: 'network', message: 'No server.' });
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(next.text));
        if (next.then === 'end') stream.close();
        if (next.then === 'break') setImmediate(() => stream.error(new Error('cut')));
        signal?.addEventListener('abort', () => stream.error(new Error('aborted')));
      },
    });
    return new Response(body);
  };
  const throwUnexpectedCall = (): never => {
    throw new Error('unexpected call');
  };
  const none = {
    get: throwUnexpectedCall,
    post: throwUnexpectedCall,
    put: throwUnexpectedCall,
    patch: throwUnexpectedCall,
    delete: throwUnexpectedCall,
    upload: throwUnexpectedCall,
  };
  const client: ServerClient = { url: 'http://server', fetch: throwUnexpectedCall, open, ...none };
  const reconnector = new Reconnector({
    clock,
    timeoutMs: 30_000,
    print: (line) => lines.push(line),
    hint: () => 'Try later.',
  });
  const steering = { send: throwUnexpectedCall, delivered: throwUnexpectedCall, takeUndelivered: throwUnexpectedCall };
  const of = { client, clock, reconnector, steering };
  const run = new RemoteRun({
    ...of,
    begin: async () => 'r',
    ask: throwUnexpectedCall,
    join: throwUnexpectedCall,
    createUnansweredError: throwUnexpectedCall,
  });
  return { run, clock, cursors, lines };
}

async function read(run: RemoteRun): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of run) seqs.push(seq);
  return seqs;
}

const delta = (text: string): RunEventBody => ({ type: 'text_delta', messageId: 'm', text });

describe('a run followed over lost connections', () => {
  it('delivers every event once, although connections break and repeat events', async () => {
    const { run, clock, cursors } = scripted([
      { text: frames([1, delta('a')], [2, delta('b')]), then: 'break' },
      { text: frames([2, delta('b')], [3, delta('c')]), then: 'end' },
      { text: frames([4, DONE]), then: 'silence' },
    ]);
    const reading = read(run);
    await eventually(async () => {
      await clock.advance(1_000);
      return cursors.length === 3;
    });
    expect(await reading).toEqual([1, 2, 3, 4]);
    expect(cursors).toEqual(['0', '2', '3']);
    expect(await run.result).toEqual({ status: 'done' });
  });

  it('reconnects after silence', async () => {
    const { run, clock, cursors } = scripted([
      { text: frames([1, delta('a')]), then: 'silence' },
      { text: frames([2, DONE]), then: 'end' },
    ]);
    const reading = read(run);
    await eventually(() => cursors.length === 1);
    await eventually(async () => {
      await clock.advance(10_000);
      return cursors.length === 2;
    });
    expect(await reading).toEqual([1, 2]);
  });

  it('times out if the server stays unreachable, or keeps closing connections', async () => {
    for (const script of [[], Array.from({ length: 500 }, () => ({ text: '', then: 'end' as const }))]) {
      const { run, clock, lines } = scripted(script);
      const reading = read(run).catch((thrown: unknown) => thrown);
      let over = false;
      void reading.then(() => (over = true));
      await eventually(async () => {
        await clock.advance(500);
        return over;
      });
      expect(await reading).toBeInstanceOf(ServerLost);
      expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000);
      await expect(run.result).rejects.toMatchObject({ hint: 'Try later.' });
      expect(lines[0]).toContain('Reconnecting for up to 30 s');
    }
  });
});
