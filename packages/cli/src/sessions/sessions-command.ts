import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { dayOf } from '../day-of.ts';
import { columns } from '../models/columns.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';

const MAX_BROWSER = 100;

/** `toolyard sessions list`. */
export async function listSessions(io: CommandIo, client: ServerClient, { json }: { json?: boolean }): Promise<void> {
  const { items } = await client.get('/api/access/sessions');
  if (json === true) {
    io.stdout.write(`${JSON.stringify(items, null, 2)}\n`);
    return;
  }
  const rows = items.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => [
    id,
    `since ${dayOf(createdAt)}`,
    `used ${dayOf(lastUsedAt)}`,
    `expires ${dayOf(expiresAt)}`,
    userAgent === '' ? 'unknown browser' : shownLine(userAgent, MAX_BROWSER),
  ]);
  const lines = rows.length === 0 ? ['No browser is signed in.'] : columns(rows);
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** `toolyard sessions revoke`: one session, or all. */
export async function revokeSessions(
  io: CommandIo,
  client: ServerClient,
  id: string | undefined,
  { all = false }: { all?: boolean },
): Promise<void> {
  if (all === (id !== undefined)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: all ? 'An ID cannot be combined with --all.' : 'No session was named.',
      hint: 'Use "toolyard sessions revoke <id>" for one session, or "toolyard sessions revoke --all".',
    });
  }
  await (id === undefined
    ? client.delete('/api/access/sessions')
    : client.delete('/api/access/sessions/{id}', { params: { id } }));
  const what = id === undefined ? 'all sessions' : plainLine(id, 100);
  io.stderr.write(`toolyard: revoked ${what}.\n`);
}
