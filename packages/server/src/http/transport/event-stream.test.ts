import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { RunEvent } from '@toolyard/protocol';
import { liveEvent, runEvent } from '@toolyard/protocol/schemas';
import { eventually } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LiveStreams } from '../../services.ts';
import { encodeFrame } from './event-stream.ts';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer;
let readers: Reader[] = [];
beforeEach(async () => {
  readers = [];
  server = await startTestServer();
});
afterEach(async () => {
  for (const { response } of readers) response.destroy();
  await server.close();
});

type Frame = { event: string; id: string | undefined; data: unknown };
type Reader = { response: IncomingMessage; text: () => string; frames: () => Frame[]; ended: Promise<void> };

/** Reads a stream like an EventSource. */
function read(target: string, headers: Record<string, string> = {}, on = server): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const asked = request(`${on.url}${target}`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const ended = new Promise<void>((done) => response.on('close', done));
      response.on('error', () => {});
      const reader = { response, text: () => text, frames: () => readFrames(text), ended };
      readers.push(reader);
      resolve(reader);
    });
    asked.on('error', reject).end();
  });
}

function readFrames(text: string): Frame[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string])))
    .filter((fields) => 'data' in fields)
    .map(({ event = '', id, data = '' }) => ({ event, id, data: JSON.parse(data) as unknown }));
}

async function startRun(): Promise<string> {
  await server.ask('/api/conversations', { json: { id: 'c1' } });
  const json = { parts: [{ type: 'text', text: 'hi' }] };
  const sent = await server.ask('/api/conversations/c1/messages', { json });
  return (sent.json as { run: { id: string } }).run.id;
}

const delta = (text: string) => ({ type: 'text_delta', messageId: 'm', text }) as const;

describe('event stream of a run', () => {
  test('sends one frame per event in order, and ends with the run', async () => {
    const run = await startRun();
    server.runs.emit(run, delta('one'), delta('two\r\nid: 99\r\n\r\nevent: run'));
    const reader = await read(`/api/runs/${run}/events`);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    expect(reader.response.headers['content-encoding']).toBeUndefined();
    await eventually(() => reader.frames().length === 2);
    server.runs.emit(run, delta('three'));
    await eventually(() => reader.frames().length === 3);
    server.runs.finish(run, 'done');
    await reader.ended;
    const frames = reader.frames();
    expect(frames.map(({ event, id }) => [event, id])).toEqual([
      ['run', '1'],
      ['run', '2'],
      ['run', '3'],
      ['run', '4'],
      ['end', undefined],
    ]);
    for (const { data } of frames.slice(0, 4)) expect(runEvent.safeParse(data).error).toBeUndefined();
    expect(frames[1]?.data).toMatchObject({ text: 'two\r\nid: 99\r\n\r\nevent: run' });
    expect(reader.text().startsWith('retry: 1000\n\n')).toBe(true);
  });

  test('sends each event once after a reconnect, and reports that the run has ended', async () => {
    const run = await startRun();
    server.runs.emit(run, delta('one'), delta('two'), delta('three'));
    server.runs.finish(run, 'done');
    const seqs = async (target: string, headers = {}) => {
      const reader = await read(target, headers);
      await reader.ended;
      return reader.frames().map(({ id }) => id);
    };
    const target = `/api/runs/${run}/events`;
    expect(await seqs(target, { 'last-event-id': '2' })).toEqual(['3', '4', undefined]);
    expect(await seqs(`${target}?after=3`)).toEqual(['4', undefined]);
    // The header that an EventSource sends when it reconnects has precedence over the query.
    expect(await seqs(`${target}?after=0`, { 'last-event-id': '3' })).toEqual(['4', undefined]);
    expect(await seqs(`${target}?after=1`, { 'last-event-id': 'of another stream' })).toEqual([
      '2',
      '3',
      '4',
      undefined,
    ]);
    expect((await server.ask(`${target}?after=4`)).status).toBe(204);
    expect((await server.ask(target, { headers: { 'last-event-id': '4' } })).status).toBe(204);
  });

  test('rejects an unknown run', async () => {
    expect(await server.ask('/api/runs/nobody/events')).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  test('sends no body for HEAD', async () => {
    const run = await startRun();
    const answer = await server.ask(`/api/runs/${run}/events`, { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  });
});

describe('event stream of an owner', () => {
  test('starts with hello, then sends every event with a cursor to resume from', async () => {
    const reader = await read('/api/events');
    await eventually(() => reader.frames().length === 1);
    expect(reader.frames()[0]).toMatchObject({ event: 'hello', data: { type: 'hello', boot: 'boot-1' } });
    const run = await startRun();
    server.runs.emit(run, delta('one'));
    await eventually(() => reader.frames().some(({ event }) => event === 'run'));
    const frames = reader.frames();
    for (const { event, data } of frames) {
      expect(liveEvent.safeParse(data).error).toBeUndefined();
      expect(data).toMatchObject({ type: event });
    }
    expect(frames).toContainEqual(
      expect.objectContaining({ data: { type: 'changed', what: 'conversations', id: 'c1' } }),
    );
    expect(frames.at(-1)?.id).toMatch(/^\S+$/);
  });

  test('passes the cursor on unchanged', async () => {
    const seen: (string | null)[] = [];
    const streams: LiveStreams = {
      readRun: async () => null,
      async *readAll(_principal, cursor) {
        seen.push(cursor);
        yield { events: [], cursor: 'c' };
      },
    };
    const other = await startTestServer({ change: { streams } });
    try {
      await (
        await read('/api/events', {}, other)
      ).ended;
      await (
        await read('/api/events?after=1%3Bx%3D2', {}, other)
      ).ended;
      await (
        await read('/api/events?after=old', { 'last-event-id': '9;y=1' }, other)
      ).ended;
      expect(seen).toEqual([null, '1;x=2', '9;y=1']);
    } finally {
      await other.close();
    }
  });
});

describe('attack 27: line breaks in a stream', () => {
  test('cannot start another field or event', () => {
    const text = encodeFrame({ event: 'run\nid: 7', id: '1\r\nevent: end\r\n\r\n\0', json: '{"a":\n"b"}' });
    expect(text).toBe('id: 1event: end\nevent: runid: 7\ndata: {"a":"b"}\n\n');
  });

  test('are removed from a cursor', async () => {
    const streams: LiveStreams = {
      readRun: async () => null,
      async *readAll() {
        yield { events: [{ type: 'hello', boot: 'b\n\ndata: forged', version: 'v' }], cursor: 'x\n\nevent: forged' };
      },
    };
    const other = await startTestServer({ change: { streams } });
    try {
      const reader = await read('/api/events', {}, other);
      await reader.ended;
      expect(reader.frames()).toEqual([
        { event: 'hello', id: 'xevent: forged', data: { type: 'hello', boot: 'b\n\ndata: forged', version: 'v' } },
      ]);
    } finally {
      await other.close();
    }
  });
});

describe('readers', () => {
  test('frees the resources of a client that disconnects', async () => {
    let disconnected = false;
    const streams: LiveStreams = {
      readRun: async () => null,
      async *readAll(_principal, _cursor, signal) {
        yield { events: [{ type: 'hello', boot: 'b', version: 'v' }], cursor: '' };
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        disconnected = true;
      },
    };
    const other = await startTestServer({ change: { streams } });
    try {
      const reader = await read('/api/events', {}, other);
      await eventually(() => reader.frames().length === 1);
      expect(reader.frames()[0]?.id).toBeUndefined();
      reader.response.destroy();
      await eventually(() => disconnected);
    } finally {
      await other.close();
    }
  });

  test('waits for a slow client instead of buffering', async () => {
    let pulled = 0;
    const text = 'x'.repeat(100_000);
    const streams: LiveStreams = {
      readRun: async () => null,
      async *readAll(_principal, _cursor, signal) {
        for (; pulled < 2000 && !signal.aborted; pulled++) {
          const event: RunEvent = { v: 1, seq: pulled + 1, runId: 'r', step: 0, attempt: 1, at: 0, ...delta(text) };
          yield { events: [{ type: 'run', event }], cursor: String(pulled) };
        }
      },
    };
    const other = await startTestServer({ change: { streams } });
    try {
      const asked = request(`${other.url}/api/events`);
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        asked.on('response', resolve).on('error', reject).end(),
      );
      response.pause();
      let before = -1;
      // Stops when the socket buffers are full.
      await eventually(
        () => {
          const still = before === pulled && pulled > 0;
          before = pulled;
          return still;
        },
        { everyMs: 200 },
      );
      expect(pulled).toBeLessThan(500);
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      expect(pulled).toBe(2000);
      expect(bytes).toBeGreaterThan(2000 * text.length);
    } finally {
      await other.close();
    }
  });

  test('logs a failing stream once, and ends it without ending the server', async () => {
    const streams: LiveStreams = {
      readRun: async () => null,

      async *readAll() {
        throw new Error('broken');
      },
    };
    const other = await startTestServer({ change: { streams } });
    try {
      // A browser reconnects repeatedly.
      for (const _time of [1, 2, 3]) {
        const reader = await read('/api/events', {}, other);
        await reader.ended;
      }
      expect(other.logged.filter((line) => line.includes('broken'))).toHaveLength(1);
      expect((await other.ask('/health')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
