import type { RunEvent } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { request } from '../api/client.ts';

/**
 * Reads the stored events of a run and then new ones, until the run has ended or the reader stops.
 *
 * @param open `request` of the API client
 * @throws ApiError if the server cannot be reached or responds with an error
 */
export async function* readRun(
  runId: string,
  after: number,
  signal: AbortSignal,
  open: typeof request = request,
): AsyncGenerator<RunEvent[]> {
  const address = `/api/runs/${encodeURIComponent(runId)}/events?after=${String(after)}`;
  const init: RequestInit = { headers: { Accept: 'text/event-stream' }, cache: 'no-store' };
  const body = await open(address, init, async (response) => response.body, { signal });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value.replaceAll('\r', '')).split('\n\n');
    rest = frames.pop() ?? '';
    const events = frames.flatMap(readEvent);
    if (events.length > 0) yield events;
  }
}

/** The event in a frame of the stream; none for pings and unknown events of a newer server. */
function readEvent(frame: string): RunEvent[] {
  const lines = frame.split('\n');
  if (!lines.some((line) => /^event: ?run$/.test(line))) return [];
  const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
  const parsed = parseJson(data.join('\n'));
  return parsed.ok && isRunEvent(parsed.value) ? [parsed.value] : [];
}

/** The server that sends it served this page, so both share its type. */
function isRunEvent(value: unknown): value is RunEvent {
  return isJsonObject(value) && typeof value['seq'] === 'number' && typeof value['type'] === 'string';
}
