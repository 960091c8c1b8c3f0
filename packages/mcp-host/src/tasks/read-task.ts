import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { Era } from '../types.ts';

/** The extension with which modern servers answer calls with tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How long a legacy server is asked to keep a task and its result, in milliseconds. */
const KEEP_MS = 24 * 60 * 60 * 1_000;

/** Makes a call to a legacy server a task. */
export const TASK_META: JsonObject = { task: { ttl: KEEP_MS } };

/**
 * The id of the task that a call was answered with: undefined if it was answered with its result, null for a task
 * without an id, which cannot be polled.
 */
export function readTaskId(raw: unknown, era: Era): string | undefined | null {
  if (!isJsonObject(raw)) return undefined;
  const task = era === 'modern' ? (raw['resultType'] === 'task' ? raw : undefined) : raw['task'];
  if (!isJsonObject(task)) return undefined;
  const { taskId } = task;
  return typeof taskId === 'string' && taskId !== '' ? taskId : null;
}
