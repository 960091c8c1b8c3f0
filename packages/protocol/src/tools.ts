import type { ToolOrigin, ToolReference } from './schemas/common.ts';
import type { PermissionView } from './schemas/permissions.ts';

/**
 * The origin of a reference. Ids of tab servers have always begun with `browser-`; where the origin was not stored, that
 * is what there is to go by, unless a server of that id is configured. Nothing else derives an origin from a name.
 */
export function originOf({ origin, serverId }: ToolReference, isConfigured: (serverId: string) => boolean): ToolOrigin {
  if (origin !== undefined) return origin;
  return serverId.startsWith('browser-') && !isConfigured(serverId) ? 'tab' : 'server';
}

/** `server/tool`, as people write it in `--allow` and read it in messages. */
export function formatToolReference(tool: ToolReference): string {
  return `${tool.serverId}/${tool.name}`;
}

/**
 * A call its server carries on with by itself (a task). Whoever has this can ask for the result, from another process
 * and after a crash too, for as long as the server keeps it.
 */
export type TaskHandle = {
  tool: ToolReference;
  /** The server's own name for it. */
  taskId: string;
  /** By which of the two protocols of tasks it is asked about; `tab`: the call was put to the tabs of its owner. */
  era: 'legacy' | 'modern' | 'tab';
};

/**
 * The reason to abort a signal with where a task is not to be cancelled with the call: nobody waits here any more, but
 * somebody else has its handle.
 */
export const CONTINUES_ELSEWHERE = 'handed on';

/** What was stored as a handle, if it is one. */
export function readTaskHandle(stored: unknown): TaskHandle | null {
  if (typeof stored !== 'object' || stored === null || !('tool' in stored) || !('taskId' in stored)) return null;
  const { tool, taskId } = stored;
  const era = 'era' in stored ? stored.era : undefined;
  if (typeof tool !== 'object' || tool === null || typeof taskId !== 'string') return null;
  if (!('serverId' in tool) || !('name' in tool) || (era !== 'legacy' && era !== 'modern' && era !== 'tab'))
    return null;
  const { serverId, name } = tool;
  if (typeof serverId !== 'string' || typeof name !== 'string') return null;
  const origin = 'origin' in tool ? tool.origin : undefined;
  const isKnown = origin === 'server' || origin === 'tab';
  return { tool: { serverId, name, ...(isKnown ? { origin } : {}) }, taskId, era };
}

/**
 * What was decided about a tool. A "never" counts wherever it was given and whatever runs under that name; an "allow"
 * counts only for a tool of the same origin.
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
