import type { AgentView, GroupView, ScheduleView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from './server-client.ts';
import { createRequestError } from '../errors.ts';

/** The agent with this ID or name. @throws ToolyardError as {@link findByName} does */
export async function findAgent(client: ServerClient, wanted: string): Promise<AgentView> {
  return findByName((await client.get('/api/agents')).items, wanted, 'agent');
}

/** The group with this ID or name. @throws ToolyardError as {@link findByName} does */
export async function findGroup(client: ServerClient, wanted: string): Promise<GroupView> {
  return findByName((await client.get('/api/groups')).items, wanted, 'group');
}

/** The schedule with this ID or title. @throws ToolyardError as {@link findByName} does */
export async function findSchedule(client: ServerClient, wanted: string): Promise<ScheduleView> {
  return findByName((await client.get('/api/schedules')).items, wanted, 'schedule');
}

/**
 * The item with this ID or, ignoring case, this name.
 *
 * @param kind the kind of the items; its plural is the command that lists them
 * @throws ToolyardError `not_found`, or `bad_request` for a name of several items
 */
function findByName<T extends { id: string; title: string }>(
  items: readonly T[],
  wanted: string,
  kind: 'agent' | 'group' | 'schedule',
): T {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = items.filter(({ title }) => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  const [only] = named;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw createRequestError(
      `${named.length} ${kind}s have the name "${plainLine(wanted, 100)}".`,
      `Use an ID: ${named.map(({ id }) => id).join(', ')}.`,
    );
  }
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no ${kind} "${plainLine(wanted, 100)}".`,
    hint: `List the ${kind}s with "toolyard ${kind}s list".`,
  });
}
