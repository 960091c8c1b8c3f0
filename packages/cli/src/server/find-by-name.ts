import { ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';

/**
 * The item with this ID or, ignoring case, this name.
 *
 * @param plural the kind of the items, which is also the command that lists them: `agents`
 * @throws ToolyardError `not_found`, or `bad_request` for a name of several items
 */
export function findByName<T extends { id: string; title: string }>(
  items: readonly T[],
  wanted: string,
  { one, plural }: { one: string; plural: string },
): T {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = items.filter(({ title }) => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  const [only] = named;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `${named.length} ${plural} have the name "${plainLine(wanted, 100)}".`,
      hint: `Use an ID: ${named.map(({ id }) => id).join(', ')}.`,
    });
  }
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no ${one} "${plainLine(wanted, 100)}".`,
    hint: `List the ${plural} with "toolyard ${plural} list".`,
  });
}
