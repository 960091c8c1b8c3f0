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

/** A server that gives each connection in turn to one of `turns`, and the `after` each asked for. */
async function listening(...turns: Turn[]) {
  return listeningFor(60_000, ...turns);
}

/** The same, where a line that says nothing for so many milliseconds counts as dead. */
async function listeningFor(silentMs: number, ...turns: Turn[]) {
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
    delay: () => 1,
    silentMs,
  });
  live = made;
  made.onHello(() => seen.push('hello'));
  made.onRun(({ seq }) => seen.push(`run ${String(seq)}`));
  made.onChanged(({ what }) => seen.push(what));
  return { live: made, asked, seen };
}

const open = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });

describe('the live stream', () => {
  it('tells what comes, and is open from its first word on', async () => {
    const { live, seen } = await listening((response) => {
      open(response).write(hello + run(1) + frame('changed', { type: 'changed', what: 'servers' }));
    });
    expect(live.status).toBe('connecting');
    live.start();
    await vi.waitFor(() => expect(seen).toEqual(['hello', 'run 1', 'servers']), 60_000);
    expect(live.status).toBe('open');
  });

  it('goes on behind the last thing it saw when the connection breaks', async () => {
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

  it('takes a line that says nothing at all for dead, and a ping for a sign of life', async () => {
    // A machine that stands still takes a line for dead that is not: what counts is that one lives long.
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

  it('stops asking where the session is refused, and says so', async () => {
    const { live, asked } = await listening((response) => response.writeHead(401).end());
    const refused = vi.fn();
    live.onRefused(refused);
    live.start();
    await vi.waitFor(() => expect(refused).toHaveBeenCalledOnce(), 60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(1);
  });

  it('goes on telling the others when one listener fails', async () => {
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

describe('the reader of its frames', () => {
  it('reads the same however the text is cut', () => {
    const text = `retry: 1000\r\n\r\n: ping\n\n${hello}${run(1)}${frame('news', { type: 'unknown' })}${run(2)}`;
    const whole = new LiveFrameReader().read(text);
    expect(whole.map(({ cursor }) => cursor)).toEqual([null, 'cursor-1', 'cursor-2']);
    const reader = new LiveFrameReader();
    expect([...text].flatMap((letter) => reader.read(letter))).toEqual(whole);
  });
});
