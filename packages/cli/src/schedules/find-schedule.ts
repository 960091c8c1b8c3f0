import type { ScheduleView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';

/**
 * The schedule with this ID or, ignoring case, this title.
 *
 * @throws ToolyardError `not_found`, or `bad_request` for a title of several schedules
 */
export async function findSchedule(client: ServerClient, wanted: string): Promise<ScheduleView> {
  const { items } = await client.get('/api/schedules');
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = items.filter(({ title }) => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  const [only] = named;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `${named.length} schedules have the title "${plainLine(wanted, 100)}".`,
      hint: `Use an ID: ${named.map(({ id }) => id).join(', ')}.`,
    });
  }
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no schedule "${plainLine(wanted, 100)}".`,
    hint: 'List the schedules with "toolyard schedules list".',
  });
}
