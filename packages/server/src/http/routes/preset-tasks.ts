import type { PresetTaskEvent } from '../../models/preset-tasks.ts';
import { createPresetTasks } from '../../models/preset-tasks.ts';
import type { Frame } from '../transport/event-stream.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';

/** Preset tasks beside the loop: titles, translations, suggestions. */
export function addPresetTaskRoute({ route }: Router, deps: RouteContext): void {
  const tasks = createPresetTasks(deps);

  route('POST /api/preset-tasks', async ({ c, principal, body }) => {
    const events = await tasks.run(principal, body);
    return deps.eventStreams.answer(c, principal, (signal) => frames(events(signal)));
  });
}

async function* frames(events: AsyncIterable<PresetTaskEvent>): AsyncGenerator<readonly Frame[]> {
  for await (const { event, data } of events) yield [{ event, json: JSON.stringify(data) }];
}
