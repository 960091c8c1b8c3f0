import type { JsonValue, PresetTaskCall, PresetTaskName, PresetTaskValues, JsonObject } from '@toolyard/protocol';
import { isAbortError, isJsonObject, parseJson, defined, readTemplates } from '@toolyard/protocol';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiError, request as requestServer } from '../api/client.ts';
import { t } from '../i18n/i18n.svelte.ts';

/** A piece of an answer that is text. Answers with a form (an emoji, tags, a language) have none. */
export type PresetTaskChunk = { type: 'text'; text: string };

export type PresetTaskOptions<Task extends PresetTaskName> = {
  /** The task and its input; the server chooses model and prompt. */
  params: Extract<PresetTaskCall, { task: Task }>;
  /** Called for each piece of text as it arrives. */
  onMessageHandle?: (chunk: PresetTaskChunk) => void;
  /** Called once with the complete value. If what it returns rejects with an {@link ApiError}, `onError` is called. */
  onFinish?: (value: PresetTaskValues[Task]) => void | Promise<void>;
  /** Called once if the task failed. An aborted task calls neither `onFinish` nor `onError`. */
  onError?: (error: ApiError) => void;
  /** Called with true before anything is sent, and with false last, however the task ends. */
  onLoadingChange?: (isLoading: boolean) => void;
  signal?: AbortSignal;
  /** Tasks with the same id are spans of one trace. Their names are those of the tasks. */
  trace?: { id: string };
};

type OpenTask = (
  call: PresetTaskCall,
  signal: AbortSignal | undefined,
) => Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
type TaskEvent = { event: string; data: JsonValue };

/**
 * Runs a preset task on the server: one short model request beside the loop. Reports by callbacks and resolves after
 * the last one; rejects only with an exception of a callback that is not an {@link ApiError}.
 *
 * @example
 * await fetchPresetTaskResult({
 *   params: { task: 'agent-avatar', agent: { title, description, instructions } },
 *   onLoadingChange: (isLoading) => (busy = isLoading),
 *   onFinish: (emoji) => (avatar = emoji),
 *   onError: (error) => (failure = error),
 * });
 */
export async function fetchPresetTaskResult<Task extends PresetTaskName>(
  options: PresetTaskOptions<Task>,
  open: OpenTask = openTask,
): Promise<void> {
  const { params, onMessageHandle, onFinish, onError, onLoadingChange, signal, trace } = options;
  onLoadingChange?.(true);
  try {
    const body = await open({ ...params, ...(trace && { traceId: trace.id }) }, signal);
    const value = await readResult(params.task, body, signal, (text) => onMessageHandle?.({ type: 'text', text }));
    if (signal?.aborted !== true) await onFinish?.(value);
  } catch (thrown) {
    if (signal?.aborted === true) return;
    if (!(thrown instanceof ApiError)) throw thrown;
    onError?.(thrown);
  } finally {
    onLoadingChange?.(false);
  }
}

const openTask: OpenTask = (call, signal) =>
  requestServer(
    '/api/preset-tasks',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(call),
    },
    (response) => Promise.resolve(response.body),
    { signal },
  );

/** @throws ApiError if the task failed, or if the stream ends without a result */
async function readResult<Task extends PresetTaskName>(
  task: Task,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<PresetTaskValues[Task]> {
  for await (const { event, data } of readEvents(body)) {
    signal?.throwIfAborted();
    if (event === 'text' && typeof data === 'string') onText(data);
    if (event === 'error') throw toApiError(data);
    // The server that sends it served this page, so both share the type of the value.
    if (event === 'result' && isJsonObject(data) && data['task'] === task) {
      return data['value'] as PresetTaskValues[Task];
    }
  }
  throw new ApiError({ code: 'stream_broken', status: 0, detail: t('errors.network'), hint: t('errors.networkHint') });
}

async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): AsyncGenerator<TaskEvent> {
  const reader = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const message = reader && (await readOrEnd(reader));
      if (message === undefined) return;
      const parsed = parseJson(message.data);
      if (parsed.ok) yield { event: message.event ?? '', data: parsed.value };
    }
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** A broken connection ends the stream: the missing result is the error. */
async function readOrEnd<T>(reader: ReadableStreamDefaultReader<T>): Promise<T | undefined> {
  try {
    return (await reader.read()).value;
  } catch (thrown) {
    if (isAbortError(thrown)) throw thrown;
    return undefined;
  }
}

function toApiError(data: JsonValue): ApiError {
  const { code, message, hint, ...others }: JsonObject = isJsonObject(data) ? data : {};
  const templates = readTemplates(others['templates']);
  return new ApiError({
    code: (typeof code === 'string' ? code : 'internal') as ApiError['code'],
    status: 200,
    detail: typeof message === 'string' ? message : t('errors.unreadable', { status: '200' }),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(templates && { templates: defined({ detail: templates['message'], hint: templates['hint'] }) }),
  });
}
