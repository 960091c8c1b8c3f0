import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunEvent } from '@toolyard/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveFrameReader } from './live-stream.ts';
import { Live } from './live.svelte.ts';

let server: Server | undefined;
let live: Live | undefined;

afterEach(() => {
  live?.stop();
  server?.closeAllConnections();
  server?.close();
});

const runEvent = (seq: number) =>
  ({ v: 1, seq, runId: 'r', step: 0, attempt: 1, at: 0, type: 'run_resumed' }) as RunEvent;
const frame = (event: string, data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const hello = frame('hello', { type: 'hello', boot: 'b', version: '1' });
const run = (seq: number) => frame('run', { type: 'run', event: runEvent(seq) }, `cursor-${String(seq)}`);

type Turn = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that handles each connection by the next of `turns`, and the `after` cursor of each. */
async function listening(...turns: Turn[]) {
  return listeningFor(60_000, ...turns);
}

/** The same with this timeout for silence, in milliseconds. */
async function listeningFor(silentMs: number, ...turns: Turn[]) {
  const pauses: number[] = [];
  const asked: (string | null)[] = [];
  const created = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('after'));
    const turn = turns[asked.length - 1] ?? turns.at(-1);
    turn?.(response, request);
  });
  server = created;
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
  const { port } = created.address() as AddressInfo;
  const seen: string[] = [];
  const made = new Live({
    fetch: (address, init) => fetch(`http://127.0.0.1:${String(port)}${address}`, init),
    delay: (failures) => (pauses.push(failures), 1),
    silenceTimeoutMs: silentMs,
  });
  live = made;
  made.onHello(() => seen.push('hello'));
  made.onRun(({ seq }) => seen.push(`run ${String(seq)}`));
  made.onChanged(({ what }) => seen.push(what));
  return { live: made, asked, seen, pauses };
}

const open = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });

describe('live stream', () => {
  it('delivers events, and is open after the first one', async () => {
    const { live, seen } = await listening((response) => {
      open(response).write(hello + run(1) + frame('changed', { type: 'changed', what: 'servers' }));
    });
    expect(live.status).toBe('connecting');
    live.start();
    await vi.waitFor(() => expect(seen).toEqual(['hello', 'run 1', 'servers']), 60_000);
    expect(live.status).toBe('open');
  });

  it('continues after the last event when the connection breaks', async () => {
    const { live, asked, seen } = await listening(
      (response) => open(response).write(hello + run(1) + run(2), () => response.destroy()),
      (response) => response.writeHead(503).end(),
      (response) => open(response).write(hello + run(3)),
    );
    live.start();
    await vi.waitFor(() => expect(seen).toEqual(['hello', 'run 1', 'run 2', 'hello', 'run 3']), 60_000);
    expect(asked).toEqual([null, 'cursor-2', 'cursor-2']);
    expect(live.status).toBe('open');
  });

  it('reconnects after silence, but not while pings arrive', async () => {
    // A stalled machine may time out live connections: one that stays open for long is sufficient.
    let most = 0;
    const { live, asked } = await listeningFor(
      300,
      (response) => open(response).write(hello),
      (response) => {
        let pings = 0;
        open(response).write(hello);
        const ping = setInterval(() => {
          most = Math.max(most, ++pings);
          response.write(': ping\n\n');
        }, 30);
        response.on('close', () => clearInterval(ping));
      },
    );
    live.start();
    await vi.waitFor(() => expect(most).toBeGreaterThan(50), 60_000);
    expect(asked.length).toBeGreaterThan(1);
  });

  it.each<[string, string, number[]]>([
    ['closes at once', '', [1, 2, 3, 4]],
    ['closes after a ping', ': ping\n\n', [1, 2, 3, 4]],
    ['closes after the greeting', hello, [1, 2, 3, 4]],
    ['closes after events of a newer server', hello + frame('news', { type: 'unknown' }), [1, 2, 3, 4]],
    ['brought an event', hello + run(1), [1, 1, 1, 1]],
    ['brought a change', hello + frame('changed', { type: 'changed', what: 'servers' }), [1, 1, 1, 1]],
  ])('pauses longer after each connection that %s, unless it brought something', async (_, text, expected) => {
    const { live, pauses } = await listening((response) => open(response).end(text));
    live.start();
    await vi.waitFor(() => expect(pauses.length).toBeGreaterThanOrEqual(4), 60_000);
    expect(pauses.slice(0, 4)).toEqual(expected);
  });

  it('starts with the shortest pause after a connection that has stayed open until a ping', async () => {
    const { live, pauses } = await listening(
      (response) => open(response).end(hello),
      (response) => open(response).write(hello, () => setTimeout(() => response.end(': ping\n\n'), 50)),
      (response) => open(response).write(hello),
    );
    live.start();
    await vi.waitFor(() => expect(pauses).toEqual([1, 1]), 60_000);
  });

  it('stops reconnecting and reports it when the session is rejected', async () => {
    const { live, asked } = await listening((response) => response.writeHead(401).end());
    const refused = vi.fn();
    live.onUnauthorized(refused);
    live.start();
    await vi.waitFor(() => expect(refused).toHaveBeenCalledOnce(), 60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(1);
  });

  it('notifies the other listeners when one throws', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const { live } = await listening((response) => open(response).write(hello + run(1) + run(2)));
    const seen: number[] = [];
    live.onRun(() => {
      throw new Error('broken part');
    });
    live.onRun(({ seq }) => seen.push(seq));
    live.start();
    await vi.waitFor(() => expect(seen).toEqual([1, 2]), 60_000);
    expect(reported).toHaveBeenCalledTimes(2);
  });
});

describe('frame parser', () => {
  it('gives the same frames however the text is split', () => {
    const text = `retry: 1000\r\n\r\n: ping\n\n${hello}${run(1)}${frame('news', { type: 'unknown' })}${run(2)}`;
    const whole = new LiveFrameReader().read(text);
    expect(whole.map(({ cursor }) => cursor)).toEqual([null, 'cursor-1', 'cursor-2']);
    const reader = new LiveFrameReader();
    expect([...text].flatMap((letter) => reader.read(letter))).toEqual(whole);
  });
});
