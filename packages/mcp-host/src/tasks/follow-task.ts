import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { TaskHandle } from '@toolyard/protocol';
import { CONTINUES_ELSEWHERE, pause, ToolyardError } from '@toolyard/protocol';
import { findNetworkCode } from '../transports/network-error.ts';
import { ResponseInterrupted } from '../transports/raw-result-transport.ts';
import { answerAll } from '../calls/request.ts';
import type { CallToolOptions } from '../types.ts';
import type { OpenRequest, RequestContext } from '../calls/track-request.ts';
import { RequestStopped, trackRequest } from '../calls/track-request.ts';
import type { TaskState, TaskWire } from './task-wire.ts';
import { cut, SERVER_LIMITS } from '../values/server-limits.ts';

/** Bounds of the pause between two polls of a task, in milliseconds, whatever its server suggests. */
const MIN_PAUSE_MS = 50;
const DEFAULT_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Timeout of cancelling a task, in milliseconds. */
const CANCEL_TIMEOUT_MS = 1_000;

/** The server does not know the task: it has expired, or its session or process is gone. */
export class TaskForgotten extends Error {}

/** The server cancelled the task, without a result. */
export class TaskCancelled extends Error {}

/** The server reports that the call was executed and failed. */
export class TaskFailed extends Error {}

export type FollowedTask = {
  context: RequestContext;
  openTask: (taskId: string) => Promise<TaskWire>;
  handle: TaskHandle;
  /** Runs before polling begins, so that the owner can store the handle. */
  before?: (() => Promise<void>) | undefined;
  options: CallToolOptions;
  /** The longest time without a response of the server. */
  timeoutMs: number;
};

/**
 * Polls a task until it ends, and passes its input requests to the handlers. Cancels the task when its caller aborts,
 * but not when the connection is closed, because another process may continue to poll it.
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
    if (isCancelledByCaller(thrown, options.signal)) await cancelTask(context, await openTask(taskId));
    throw thrown;
  }
}

/** False if another process may need the task, or the reason is unknown. */
function isCancelledByCaller(thrown: unknown, signal: AbortSignal | undefined): boolean {
  if (!(thrown instanceof RequestStopped)) return ToolyardError.isInstance(thrown);
  return thrown.by !== 'closing' && signal?.reason !== CONTINUES_ELSEWHERE;
}

async function follow(
  { context, handle, options }: FollowedTask,
  wire: TaskWire,
  entry: OpenRequest,
): Promise<unknown> {
  const answered = new Set<string>();
  const report = changesTo(options.onProgress);
  for (;;) {
    const state = await lookAt(wire, handle, entry);
    if (state === undefined) {
      // The timeout keeps running: a server that does not respond is not waited for forever.
      await pause(context.clock, DEFAULT_PAUSE_MS, entry.signal);
      continue;
    }
    entry.deadline.renew();
    report(state);
    if (state.status === 'cancelled') throw new TaskCancelled(state.text ?? '');
    if (state.status === 'failed' && state.error !== undefined) throw new TaskFailed(state.error.message);
    if (state.result !== undefined) return state.result;
    if (handle.era === 'legacy' && state.status !== 'working') {
      const result = await legacyResult(wire, state, entry);
      if (result !== undefined) return result;
    }
    const asked = state.asked.filter(([key]) => !answered.has(key));
    if (asked.length > 0) {
      const answers = await answerAll(context, asked, entry);
      await wire.answer(answers, entry.signal);
      for (const [key] of asked) answered.add(key);
      continue;
    }
    await pauseFor(context, state, entry);
  }
}

/** Undefined if the server could not be reached this time. */
async function lookAt(wire: TaskWire, handle: TaskHandle, entry: OpenRequest): Promise<TaskState | undefined> {
  try {
    return await wire.poll(entry.signal);
  } catch (thrown) {
    // The error of either era for an unknown id.
    if (thrown instanceof ProtocolError && thrown.code === -32_602) throw new TaskForgotten(handle.taskId);
    if (entry.signal.aborted || !isTemporary(thrown)) throw thrown;
    return undefined;
  }
}

/** The server is temporarily busy or unreachable. */
function isTemporary(thrown: unknown): boolean {
  if (thrown instanceof SdkHttpError) {
    const { status } = thrown.data;
    return status === 408 || status === 429 || status >= 500;
  }
  return thrown instanceof ResponseInterrupted || findNetworkCode(thrown) !== undefined;
}

/**
 * The result of a task that has ended or requires input: a legacy server sends its requests while `tasks/result` is
 * pending. Undefined while there is no result.
 */
async function legacyResult(wire: TaskWire, state: TaskState, entry: OpenRequest): Promise<unknown> {
  const resume = entry.deadline.suspend();
  try {
    return await wire.result(entry.signal);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    if (state.status === 'input_required') return undefined;
    throw new TaskFailed(state.text ?? thrown.message);
  } finally {
    resume();
  }
}

/** The poll interval of the server, within bounds. The pause does not count as inactivity. */
async function pauseFor(
  context: RequestContext,
  { pollMs = DEFAULT_PAUSE_MS }: TaskState,
  entry: OpenRequest,
): Promise<void> {
  const resume = entry.deadline.suspend();
  try {
    await pause(context.clock, Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pollMs)), entry.signal);
  } finally {
    resume();
  }
}

/** Reports each change of the task's status; `progress` counts the changes. */
function changesTo(onProgress: CallToolOptions['onProgress']): (state: TaskState) => void {
  let last = '';
  let changes = 0;
  return ({ status, text }) => {
    const now = text ?? (status === 'input_required' ? 'Waiting for an answer.' : '');
    if (now === '' || now === last) return;
    last = now;
    onProgress?.({ progress: ++changes, text: cut(now, SERVER_LIMITS.progress.characters) });
  };
}

/** Cancels the task at the server, ignoring failures. */
async function cancelTask({ clock }: RequestContext, wire: TaskWire): Promise<void> {
  const timeout = new AbortController();
  const cancelTimer = clock.after(CANCEL_TIMEOUT_MS, () => timeout.abort());
  await wire.cancel(timeout.signal).catch(() => undefined);
  cancelTimer();
}
