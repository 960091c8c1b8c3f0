import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { TaskHandle } from '@toolyard/protocol';
import { CONTINUES_ELSEWHERE, pause, ToolyardError } from '@toolyard/protocol';
import { networkCodeOf } from '../transports/network-error.ts';
import { ResponseInterrupted } from '../transports/raw-result-transport.ts';
import { answerAll } from '../calls/request.ts';
import type { CallToolOptions } from '../types.ts';
import type { OpenRequest, RequestContext } from '../calls/track-request.ts';
import { RequestStopped, trackRequest } from '../calls/track-request.ts';
import type { TaskState, TaskWire } from './task-wire.ts';

/** Between two looks at a task, in milliseconds, whatever its server suggests. */
const SHORTEST_PAUSE_MS = 50;
const USUAL_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** How long a server may take to hear that a task is no longer wanted, in milliseconds. */
const GOODBYE_MS = 1_000;

/** The server does not know the task: its time has run out, or it belonged to a session or process that is gone. */
export class TaskForgotten extends Error {}

/** The server gave the task up, without a result. */
export class TaskCancelled extends Error {}

/** The call was carried out and has failed, as the server tells it. */
export class TaskFailed extends Error {}

export type FollowedTask = {
  context: RequestContext;
  openTask: (taskId: string) => Promise<TaskWire>;
  handle: TaskHandle;
  /** Done before it is waited for: its owner stores the handle. */
  before?: (() => Promise<void>) | undefined;
  options: CallToolOptions;
  /** How long the server may not answer. */
  timeoutMs: number;
};

/**
 * Asks a server about a task until it is over, and puts what the task asks to its handlers. The server is told when
 * nobody wants the task any more; not when the connection is closed: another process may ask for it then.
 *
 * @returns the result of the call, as the server sent it
 * @throws RequestStopped, TaskForgotten, TaskCancelled, TaskFailed, ToolyardError; else what the transport throws
 */
export async function followTask(task: FollowedTask): Promise<unknown> {
  const { context, openTask, handle, before, options, timeoutMs } = task;
  const { tool, taskId } = handle;
  try {
    return await trackRequest(context, { options, timeoutMs, totalMs: Infinity, tool, taskId }, async (entry) => {
      await before?.();
      return follow(task, await openTask(taskId), entry);
    });
  } catch (thrown) {
    if (isUnwanted(thrown, options.signal)) await giveUp(context, await openTask(taskId));
    throw thrown;
  }
}

/** False where somebody else may want the task, or nobody knows. */
function isUnwanted(thrown: unknown, signal: AbortSignal | undefined): boolean {
  if (!(thrown instanceof RequestStopped)) return ToolyardError.isInstance(thrown);
  return thrown.by !== 'closing' && signal?.reason !== CONTINUES_ELSEWHERE;
}

async function follow(
  { context, handle, options }: FollowedTask,
  wire: TaskWire,
  entry: OpenRequest,
): Promise<unknown> {
  const answered = new Set<string>();
  const tell = changesTo(options.onProgress);
  for (;;) {
    const look = await lookAt(wire, handle, entry);
    if (look === undefined) {
      // The time-out runs on: a server that does not answer is not waited for for ever.
      await pause(context.clock, USUAL_PAUSE_MS, entry.signal);
      continue;
    }
    entry.deadline.renew();
    tell(look);
    if (look.status === 'cancelled') throw new TaskCancelled(look.text ?? '');
    if (look.status === 'failed' && look.error !== undefined) throw new TaskFailed(look.error.message);
    if (look.result !== undefined) return look.result;
    if (handle.era === 'legacy' && look.status !== 'working') {
      const result = await legacyResult(wire, look, entry);
      if (result !== undefined) return result;
    }
    const asked = look.asked.filter(([key]) => !answered.has(key));
    if (asked.length > 0) {
      const answers = await answerAll(context, asked, entry);
      await wire.answer(answers, entry.signal);
      for (const [key] of asked) answered.add(key);
      continue;
    }
    await rest(context, look, entry);
  }
}

/** Undefined where the server could not be reached this time. */
async function lookAt(wire: TaskWire, handle: TaskHandle, entry: OpenRequest): Promise<TaskState | undefined> {
  try {
    return await wire.look(entry.signal);
  } catch (thrown) {
    // What a server of either era says to an id it does not know.
    if (thrown instanceof ProtocolError && thrown.code === -32_602) throw new TaskForgotten(handle.taskId);
    if (entry.signal.aborted || !mayPass(thrown)) throw thrown;
    return undefined;
  }
}

/** The server is there, and busy or out of reach for the moment. */
function mayPass(thrown: unknown): boolean {
  if (thrown instanceof SdkHttpError) {
    const { status } = thrown.data;
    return status === 408 || status === 429 || status >= 500;
  }
  return thrown instanceof ResponseInterrupted || networkCodeOf(thrown) !== undefined;
}

/**
 * The result of a task that is over, or that asks something: a legacy server puts its questions while somebody waits
 * for the result. Undefined where it gives none yet.
 */
async function legacyResult(wire: TaskWire, look: TaskState, entry: OpenRequest): Promise<unknown> {
  const resume = entry.deadline.suspend();
  try {
    return await wire.result(entry.signal);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    if (look.status === 'input_required') return undefined;
    throw new TaskFailed(look.text ?? thrown.message);
  } finally {
    resume();
  }
}

/** Its own pace, within bounds. Time that passes on the server's wish is none in which nothing was heard of it. */
async function rest(
  context: RequestContext,
  { pollMs = USUAL_PAUSE_MS }: TaskState,
  entry: OpenRequest,
): Promise<void> {
  const resume = entry.deadline.suspend();
  try {
    await pause(context.clock, Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pollMs)), entry.signal);
  } finally {
    resume();
  }
}

/** Tells how the task stands each time that is something else; the number counts these times. */
function changesTo(onProgress: CallToolOptions['onProgress']): (look: TaskState) => void {
  let last = '';
  let changes = 0;
  return ({ status, text }) => {
    const now = text ?? (status === 'input_required' ? 'Waits for an answer.' : '');
    if (now === '' || now === last) return;
    last = now;
    onProgress?.({ progress: ++changes, text: now });
  };
}

/** Nobody wants its result. A server that does not hear of it is left to itself. */
async function giveUp({ clock }: RequestContext, wire: TaskWire): Promise<void> {
  const patience = new AbortController();
  const callOff = clock.after(GOODBYE_MS, () => patience.abort());
  await wire.cancel(patience.signal).catch(() => undefined);
  callOff();
}
