import type { RunEvent } from '@toolyard/protocol';
import { eventJson } from '../../live/hub.ts';
import type { LiveBatch } from '../../services.ts';
import type { Frame } from './event-stream.ts';

/** The events of one run; the id of each frame is its seq. A last frame announces the end. */
export function runFrames(batch: readonly RunEvent[]): readonly Frame[] {
  const frames: Frame[] = batch.map((event) => ({ event: 'run', id: String(event.seq), json: eventJson(event) }));
  if (batch.at(-1)?.type === 'run_finished') frames.push({ event: 'end', json: '{}' });
  return frames;
}

/** All events of one owner. The cursor is valid for a whole batch, so only the last frame of the batch has it. */
export function liveFrames({ events, cursor }: LiveBatch): readonly Frame[] {
  return events.map((event, at) => ({
    event: event.type,
    ...(at === events.length - 1 && cursor !== '' ? { id: cursor } : {}),
    json: eventJson(event),
  }));
}
