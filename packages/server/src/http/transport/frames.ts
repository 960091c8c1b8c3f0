import type { RunEvent } from '@toolyard/protocol';
import { eventJson } from '../../live/hub.ts';
import type { LiveBatch } from '../../services.ts';
import type { Frame } from './event-stream.ts';

/** The events of one run; the id of each frame is its seq. A last frame announces the end. */
export async function* runFrames(
  reading: Promise<AsyncIterable<readonly RunEvent[]> | null>,
): AsyncGenerator<readonly Frame[]> {
  for await (const batch of (await reading) ?? []) {
    const frames: Frame[] = batch.map((event) => ({ event: 'run', id: String(event.seq), json: eventJson(event) }));
    const over = batch.at(-1)?.type === 'run_finished';
    yield over ? [...frames, { event: 'end', json: '{}' }] : frames;
    if (over) return;
  }
}

/** All events of one owner. The cursor is valid for a whole batch, so only the last frame of the batch has it. */
export async function* liveFrames(batches: AsyncIterable<LiveBatch>): AsyncGenerator<readonly Frame[]> {
  for await (const { events, cursor } of batches) {
    yield events.map((event, at) => ({
      event: event.type,
      ...(at === events.length - 1 && cursor !== '' ? { id: cursor } : {}),
      json: eventJson(event),
    }));
  }
}
