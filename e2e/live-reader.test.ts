import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { RunningServer } from '@toolyard/server';
import { startServer } from '@toolyard/server';
import { openStorage } from '@toolyard/storage';
import { createRandom, ownPort, reply, startModelServer } from '@toolyard/testing';
import type { ConnectionCut } from './support/reconnecting-reader.ts';
import { ReconnectingReader } from './support/reconnecting-reader.ts';
import { ask, readView } from './support/test-user.ts';
import { serverOptions } from './support/server-options.ts';
import { applyAll, inconsistentMessages } from './support/transcript.ts';

const SEED = 20_261_121;
const CUTS = 20;
const MOST_BYTES = 700;
const PASSING: ReadonlySet<string> = new Set(['text_delta', 'reasoning_delta', 'tool_call_delta', 'tool_progress']);
const ANSWER = 'Ünd so weiter, 等等, and so on. '.repeat(40);

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
});

/** A server in this process that can restart on its port, and a slow model. */
async function openScene(delayMs: number, until: Promise<unknown> = Promise.resolve()) {
  const answer = reply.text(ANSWER, { pieces: 4, delayMs, reasoning: ANSWER, hold: { until, talking: true } });
  const model = undo.use(await startModelServer(() => answer));
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-reader-'));
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' };
  const port = await ownPort();
  let server: RunningServer = await startServer(serverOptions({ dataDir, env, port }));
  const { url } = server;
  undo.defer(() => server.close());
  return {
    url,
    /** `between`: called with the data folder while the server is stopped. */
    async restart(between: (folder: string) => Promise<void> = async () => {}): Promise<void> {
      await server.close();
      await between(dataDir);
      server = await startServer(serverOptions({ dataDir, env, port }));
    },
  };
}

/** The server side of the last connection that requested a path. */
function serverEnds(): (path: string) => Socket | undefined {
  const sockets = new Map<string, Socket>();
  const note = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    sockets.set(request.url ?? '', socket);
  };
  subscribe('http.server.request.start', note);
  undo.defer(() => void unsubscribe('http.server.request.start', note));
  return (path) => sockets.get(path);
}

const runEvents = ({ frames }: ReconnectingReader): RunEvent[] =>
  frames.flatMap(({ event, data }) => (event === 'run' ? [data as RunEvent] : []));
/** All events; repeated ones have the same sequence number. */
function runEventsOfAll({ frames }: ReconnectingReader): RunEvent[] {
  const seen = new Map<number, RunEvent>();
  for (const { data } of frames) {
    const live = data as LiveEvent;
    if (live.type === 'run' && !seen.has(live.event.seq)) seen.set(live.event.seq, live.event);
  }
  return [...seen.values()];
}
const isOver = (events: readonly RunEvent[]): boolean => events.at(-1)?.type === 'run_finished';

describe('a reader with Last-Event-ID', () => {
  it('receives each event once and in order over 20 cuts, by itself, the server, and a restart', async () => {
    const cut = Promise.withResolvers<void>();
    const scene = await openScene(4, cut.promise);
    const runId = await ask(scene.url);
    const endOf = serverEnds();
    const random = createRandom(SEED);
    const createCut = (path: string): ConnectionCut => ({
      afterBytes: 1 + Math.floor(random() * MOST_BYTES),
      how: random() < 0.5 ? 'by the reader' : () => endOf(path)?.resetAndDestroy(),
    });
    const ofRun = `/api/runs/${runId}/events`;
    const one = new ReconnectingReader();
    const all = new ReconnectingReader();
    for (let n = 1; n <= CUTS; n++) {
      const readings = [
        one.read(scene.url, ofRun, createCut(ofRun)),
        all.read(scene.url, '/api/events', createCut('/api/events')),
      ];
      if (n === CUTS / 2) await scene.restart();
      expect(await Promise.all(readings)).toEqual(['cut', 'cut']);
    }
    expect(isOver(runEvents(one))).toBe(false);
    cut.resolve();
    while ((await one.read(scene.url, ofRun)) === 'cut');
    await all.read(scene.url, '/api/events', { when: () => isOver(runEventsOfAll(all)) });

    const events = runEvents(one);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.filter(({ type }) => type === 'attempt_abandoned')).toHaveLength(1);
    expect(inconsistentMessages(events)).toEqual([]);
    expect(applyAll(events)).toEqual((await readView(scene.url)).page.messages);
    expect(runEventsOfAll(all)).toEqual(events);
    expect(await new ReconnectingReader(one.lastEventId).read(scene.url, ofRun)).toBe('over');
  });

  it('receives the remaining events in order after their compaction, with the same transcript', async () => {
    const scene = await openScene(1);
    const runId = await ask(scene.url);
    const ofRun = `/api/runs/${runId}/events`;
    const away = new ReconnectingReader();
    await away.read(scene.url, '/api/events', { when: () => runEventsOfAll(away).length > 12 });
    const whole = new ReconnectingReader();
    await whole.read(scene.url, ofRun);
    const events = runEvents(whole);

    await scene.restart(async (folder) => {
      const storage = await openStorage({ folder, clock: systemClock });
      expect(storage.runs.compact(systemClock.now() + 1, 10)).toBe(1);
      storage.close();
    });
    const leftAfter = (seq: number): RunEvent[] => events.filter((each) => each.seq > seq && !PASSING.has(each.type));
    for (const seq of [0, 9, Math.floor(events.length / 2), events.length - 1]) {
      const back = new ReconnectingReader(String(seq));
      expect(await back.read(scene.url, ofRun)).toBe('over');
      expect(runEvents(back)).toEqual(leftAfter(seq));
    }
    expect(await new ReconnectingReader(String(events.length)).read(scene.url, ofRun)).toBe('over');

    const before = runEventsOfAll(away);
    const last = before.at(-1)?.seq ?? 0;
    await away.read(scene.url, '/api/events', { when: () => isOver(runEventsOfAll(away)) });
    expect(runEventsOfAll(away)).toEqual([...before, ...leftAfter(last)]);
    expect(applyAll(runEventsOfAll(away))).toEqual((await readView(scene.url)).page.messages);
  });
});
