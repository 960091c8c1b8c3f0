import type { LiveEvent } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** One frame of the live stream: what happened, and the cursor that stands after it (runs only). */
export type LiveFrame = { event: LiveEvent; cursor: string | null };

/** Puts the frames of a text/event-stream together, however its text is cut into chunks. */
export class LiveFrameReader {
  #rest = '';
  #data: string[] = [];
  #id: string | null = null;

  read(chunk: string): LiveFrame[] {
    const frames: LiveFrame[] = [];
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  #line(line: string): LiveFrame | null {
    if (line === '') return this.#finish();
    if (line.startsWith('data:')) this.#data.push(valueOf(line, 'data:'));
    else if (line.startsWith('id:')) this.#id = valueOf(line, 'id:');
    return null;
  }

  #finish(): LiveFrame | null {
    const data = this.#data.join('\n');
    const cursor = this.#id;
    this.#data = [];
    this.#id = null;
    const parsed = parseJson(data);
    if (!parsed.ok || !isLiveEvent(parsed.value)) return null;
    return { event: parsed.value, cursor };
  }
}

function valueOf(line: string, field: string): string {
  const value = line.slice(field.length);
  return value.startsWith(' ') ? value.slice(1) : value;
}

/** A newer server may say what this page does not know yet; that is passed over. */
function isLiveEvent(value: unknown): value is LiveEvent {
  if (!isJsonObject(value)) return false;
  return (
    value['type'] === 'hello' ||
    value['type'] === 'changed' ||
    (value['type'] === 'run' && isJsonObject(value['event']))
  );
}
