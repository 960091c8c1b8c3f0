import type { CreateApiKey, KeyScope } from '@toolyard/protocol';
import { defined, KEY_SCOPES } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { toDay } from '../utc-time.ts';
import { printJson, printLine, printNote, printTable } from '../output.ts';
import { plainLine } from '../sanitize.ts';
import type { KeyLimitFlags } from './key-limits.ts';
import { describeLimits, readKeyLimits } from './key-limits.ts';
import type { ServerClient } from '../server/server-client.ts';
import { createConfigError } from '../errors.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 3_650;

export type CreateKeyFlags = KeyLimitFlags & { scopes: string; expires?: string; json?: boolean };

/** `toolyard keys create`: the key goes to stdout, everything else to stderr. */
export async function createKey(
  io: CommandIo,
  client: ServerClient,
  name: string,
  { scopes, expires, json, ...limitFlags }: CreateKeyFlags,
): Promise<void> {
  const limits = await readKeyLimits(client, limitFlags);
  const body: CreateApiKey = {
    name,
    scopes: readScopes(scopes),
    ...(expires === undefined ? {} : { expiresAt: Date.now() + readDays(expires) * DAY_MS }),
    ...defined({ limits }),
  };
  const created = await client.post('/api/access/keys', { body });
  if (json === true) return printJson(io, created);
  printLine(io, created.key);
  printNote(io, `created key ${created.id} with ${created.scopes.join(', ')}. It is not shown again.`);
}

/** `toolyard keys list`. */
export async function listKeys(io: CommandIo, client: ServerClient, { json }: { json?: boolean }): Promise<void> {
  const { items } = await client.get('/api/access/keys');
  if (json === true) return printJson(io, items);
  const rows = items.map(({ id, name, start, scopes, expiresAt, lastUsedAt, limits }) => [
    id,
    name,
    `${start}…`,
    scopes.join(','),
    expiresAt === null ? 'never expires' : `expires ${toDay(expiresAt)}`,
    lastUsedAt === null ? 'never used' : `used ${toDay(lastUsedAt)}`,
    limits === null ? '' : plainLine(describeLimits(limits), 300),
  ]);
  printTable(io, rows);
  if (rows.length === 0) printLine(io, 'No API keys.');
}

/** `toolyard keys revoke`. */
export async function revokeKey(io: CommandIo, client: ServerClient, id: string): Promise<void> {
  await client.delete('/api/access/keys/{id}', { params: { id } });
  printNote(io, `revoked ${plainLine(id, 100)}.`);
}

function readScopes(text: string): KeyScope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !KEY_SCOPES.some((scope) => scope === name));
  if (unknown === undefined) return KEY_SCOPES.filter((scope) => names.includes(scope));
  throw createConfigError(
    `--scopes: unknown scope "${unknown}".`,
    `Use a comma-separated list of ${KEY_SCOPES.join(', ')}.`,
  );
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw createConfigError(`--expires must be a number of days from 1 to ${MAX_DAYS} (got "${text}").`);
}
