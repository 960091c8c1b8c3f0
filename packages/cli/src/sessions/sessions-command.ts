import type { CommandIo } from '../command-io.ts';
import { toDay } from '../utc-time.ts';
import { printJson, printLine, printNote, printTable } from '../output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { createConfigError } from '../errors.ts';

const MAX_BROWSER = 100;

/** `toolyard sessions list`. */
export async function listSessions(io: CommandIo, client: ServerClient, { json }: { json?: boolean }): Promise<void> {
  const { items } = await client.get('/api/access/sessions');
  if (json === true) return printJson(io, items);
  const rows = items.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => [
    id,
    `since ${toDay(createdAt)}`,
    `used ${toDay(lastUsedAt)}`,
    `expires ${toDay(expiresAt)}`,
    userAgent === '' ? 'unknown browser' : shownLine(userAgent, MAX_BROWSER),
  ]);
  printTable(io, rows);
  if (rows.length === 0) printLine(io, 'No browser is signed in.');
}

/** `toolyard sessions revoke`: one session, or all. */
export async function revokeSessions(
  io: CommandIo,
  client: ServerClient,
  id: string | undefined,
  { all = false }: { all?: boolean },
): Promise<void> {
  if (all === (id !== undefined)) {
    throw createConfigError(
      all ? 'An ID cannot be combined with --all.' : 'No session was named.',
      'Use "toolyard sessions revoke <id>" for one session, or "toolyard sessions revoke --all".',
    );
  }
  await (id === undefined
    ? client.delete('/api/access/sessions')
    : client.delete('/api/access/sessions/{id}', { params: { id } }));
  printNote(io, `revoked ${id === undefined ? 'all sessions' : plainLine(id, 100)}.`);
}
