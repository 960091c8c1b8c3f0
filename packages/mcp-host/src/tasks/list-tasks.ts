import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject, McpTaskView } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { RawReply } from '../transports/raw-result-transport.ts';
import type { KnownTask } from './known-tasks.ts';
import type { TaskState, TaskWire } from './task-wire.ts';

/** The most pages of `tasks/list`. */
const MAX_PAGES = 20;
/** The error of either era for an unknown id. */
const INVALID_PARAMS = -32_602;
/** Longest status message shown, in characters. */
const MAX_TEXT = 2_000;
const STATUSES: ReadonlySet<string> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']);

export type TaskLists = {
  /** Sends `tasks/list`; undefined if the server does not offer it. */
  list: ((cursor: string | undefined) => Promise<RawReply>) | undefined;
  openTask: (taskId: string) => Promise<TaskWire>;
  known: readonly KnownTask[];
  signal: AbortSignal;
};

/**
 * The tasks of a server, newest first: those that it lists, and those that calls of this process became, each with its
 * current state. @throws what a failed request throws
 */
export async function listTasks({ list, openTask, known, signal }: TaskLists): Promise<McpTaskView[]> {
  const listed = list === undefined ? [] : await readPages(list);
  const missing = known.filter(({ handle }) => !listed.some(({ taskId }) => taskId === handle.taskId));
  const polled = await Promise.all(
    missing.map(async (task) => readState(task, await openTask(task.handle.taskId), signal)),
  );
  const named = listed.map((task) => {
    const own = known.find(({ handle }) => handle.taskId === task.taskId);
    return own === undefined ? task : { ...task, tool: own.handle.tool.name };
  });
  return [...named, ...polled].sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
}

async function readPages(list: (cursor: string | undefined) => Promise<RawReply>): Promise<McpTaskView[]> {
  const tasks = new Map<string, McpTaskView>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await list(cursor);
    if (reply.kind === 'error') throw new ProtocolError(reply.error.code, reply.error.message, reply.error.data);
    const raw = isJsonObject(reply.result) ? reply.result : {};
    for (const entry of Array.isArray(raw['tasks']) ? raw['tasks'] : []) {
      const task = isJsonObject(entry) ? readTask(entry) : undefined;
      if (task !== undefined) tasks.set(task.taskId, task);
    }
    const next = raw['nextCursor'];
    if (typeof next !== 'string' || next === cursor) break;
    cursor = next;
  }
  return [...tasks.values()];
}

/** Undefined for an entry without an id or with an unknown status. */
function readTask(raw: JsonObject): McpTaskView | undefined {
  const { taskId, status, statusMessage } = raw;
  if (typeof taskId !== 'string' || taskId === '' || !isStatus(status)) return undefined;
  return {
    taskId,
    status,
    ...(typeof statusMessage === 'string' ? { text: statusMessage.slice(0, MAX_TEXT) } : {}),
    ...defined({ createdAt: readTime(raw['createdAt']), updatedAt: readTime(raw['lastUpdatedAt']) }),
  };
}

function isStatus(value: unknown): value is Exclude<McpTaskView['status'], 'unknown'> {
  return typeof value === 'string' && STATUSES.has(value);
}

function readTime(text: unknown): number | undefined {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

async function readState({ handle, startedAt }: KnownTask, wire: TaskWire, signal: AbortSignal): Promise<McpTaskView> {
  const task = { taskId: handle.taskId, tool: handle.tool.name, createdAt: startedAt };
  try {
    return { ...task, ...toView(await wire.poll(signal)) };
  } catch (thrown) {
    if (thrown instanceof ProtocolError && thrown.code === INVALID_PARAMS) return { ...task, status: 'unknown' };
    throw thrown;
  }
}

function toView({ status, text }: TaskState): Pick<McpTaskView, 'status' | 'text'> {
  return { status, ...(text === undefined ? {} : { text: text.slice(0, MAX_TEXT) }) };
}
