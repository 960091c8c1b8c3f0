import { createPresetTasks } from '../../models/preset-tasks.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';

/** Preset tasks beside the loop: titles, translations, suggestions. */
export function addPresetTaskRoute({ route }: Router, deps: RouteContext): void {
  const tasks = createPresetTasks(deps);

  route('POST /api/preset-tasks', async ({ c, principal, body }) => {
    const events = await tasks.run(principal, body);
    return deps.eventStreams.answer(c, principal, events, ({ event, data }) => [{ event, json: JSON.stringify(data) }]);
  });
}
