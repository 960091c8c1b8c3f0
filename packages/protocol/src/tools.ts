import type { ToolAnnotations, ToolReference } from './schemas/common.ts';
import type { PermissionView } from './schemas/permissions.ts';

/** `server/tool`, as in `--allow` and in messages. */
export function formatToolReference(tool: ToolReference): string {
  return `${tool.serverId}/${tool.name}`;
}

/**
 * True for a tool that only reads, and nothing outside Toolyard and its server. Declared by a built-in tool, it means that
 * calls need no approval and may be repeated: reading the open world can send data there.
 */
export function readsOnlyInside(annotations: ToolAnnotations | undefined): boolean {
  return annotations?.readOnly === true && annotations.openWorld !== true;
}

/**
 * A call that its server continues as a task. The handle is enough to fetch the result, from another process and after
 * a crash too, for as long as the server keeps it.
 */
export type TaskHandle = {
  tool: ToolReference;
  /** The server's id of the task. */
  taskId: string;
  /**
   * Which of MCP's two task protocols applies; `tab`: a tab of the owner makes the call, `server`: the server makes it
   * for a run in a tab.
   */
  era: TaskEra;
};

const TASK_ERAS = ['legacy', 'modern', 'tab', 'server'] as const;
type TaskEra = (typeof TASK_ERAS)[number];

/** Abort reason that does not cancel the task: this process stops waiting, but another one has the handle. */
export const CONTINUES_ELSEWHERE = 'handed on';

/** Parses a stored handle; null if it is invalid. */
export function readTaskHandle(stored: unknown): TaskHandle | null {
  if (typeof stored !== 'object' || stored === null || !('tool' in stored) || !('taskId' in stored)) return null;
  const { tool, taskId } = stored;
  const era = 'era' in stored ? TASK_ERAS.find((each) => each === stored.era) : undefined;
  if (typeof tool !== 'object' || tool === null || typeof taskId !== 'string') return null;
  if (!('serverId' in tool) || !('name' in tool) || era === undefined) return null;
  const { serverId, name } = tool;
  if (typeof serverId !== 'string' || typeof name !== 'string') return null;
  const origin = 'origin' in tool ? tool.origin : undefined;
  const isKnown = origin === 'server' || origin === 'tab';
  return { tool: { serverId, name, ...(isKnown ? { origin } : {}) }, taskId, era };
}

/**
 * The stored decision about a tool. A "never" applies to every tool with that name, whatever its origin; an "allow"
 * only to one of the same origin.
 */
export function findDecision(
  tool: ToolReference,
  permissions: readonly Pick<PermissionView, 'tool' | 'decision'>[],
): PermissionView['decision'] | undefined {
  let decided: PermissionView['decision'] | undefined;
  for (const { tool: other, decision } of permissions) {
    if (other.serverId !== tool.serverId || other.name !== tool.name) continue;
    if (decision === 'never') return 'never';
    if ((other.origin ?? 'server') === (tool.origin ?? 'server')) decided = decision;
  }
  return decided;
}
