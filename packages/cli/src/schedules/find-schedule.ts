import type { ScheduleView } from '@toolyard/protocol';
import { findByName } from '../server/find-by-name.ts';
import type { ServerClient } from '../server/server-client.ts';

/** The schedule with this ID or name. @throws ToolyardError as {@link findByName} */
export async function findSchedule(client: ServerClient, wanted: string): Promise<ScheduleView> {
  const { items } = await client.get('/api/schedules');
  return findByName(items, wanted, { one: 'schedule', plural: 'schedules' });
}
