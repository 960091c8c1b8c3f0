import { randomBytes, scrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '@toolyard/storage';
import { FINGERPRINT_FILE, KEY_FILE, SALT_FILE } from '@toolyard/storage';
import { badConfig, readPrivate, writePrivate } from './private-file.ts';
import type { SealingKey } from './sealing.ts';
import { toSealingKey } from './sealing.ts';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Memory and work of one guess at the passphrase: 32 MB, about a tenth of a second. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
/** Characters. Whoever has a copy of what is kept can try passphrases at leisure. */
const SHORTEST_SECRET = 16;

export type MasterKeyOptions = {
  /** The data folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
  /** Where other machines have to come to the same key: what is kept for all of them. */
  shared?: Installation;
  /** Work of deriving a key from TOOLYARD_SECRET (`N` of scrypt, a power of two); default 2^15. */
  scryptCost?: number;
};

/** The key that seals what is new, and those that may have sealed what is old. */
export type MasterKeys = { current: SealingKey; former: readonly SealingKey[] };

/** TOOLYARD_SECRET, and the one before it; undefined where they are not set. */
export function passphrasesIn(env: MasterKeyOptions['env']): { secret?: string; old?: string } {
  const secret = env['TOOLYARD_SECRET']?.trim() ?? '';
  const old = env['TOOLYARD_SECRET_OLD']?.trim() ?? '';
  return { ...(secret === '' ? {} : { secret }), ...(old === '' ? {} : { old }) };
}

/**
 * The key of this installation: from TOOLYARD_SECRET, else from the key file, which is made where there is none. After
 * a change the former one still opens what it sealed: TOOLYARD_SECRET_OLD, or a key file that has lain there before
 * TOOLYARD_SECRET was set.
 *
 * @throws ToolyardError `bad_config` where the key file is open to others or cannot be used, or TOOLYARD_SECRET is too
 * short
 */
export async function loadMasterKeys(options: MasterKeyOptions): Promise<MasterKeys> {
  const { folder, env, log, shared } = options;
  const { secret, old } = passphrasesIn(env);
  if (secret !== undefined) refuseShort(secret);
  const file = join(folder, KEY_FILE);
  const inFile = readBytes(file, KEY_BYTES, log);
  const former = old === undefined ? [] : [await fromPassphrase(old, options)];
  if (secret === undefined && shared) {
    throw badConfig(
      'Secrets in a database that several machines share are sealed with TOOLYARD_SECRET, and that is not set.',
      'Set it to the same text, of 20 characters or more, wherever Toolyard runs over this database.',
    );
  }
  if (secret === undefined) return { current: toSealingKey(inFile ?? makeBytes(file, KEY_BYTES)), former };
  const current = await fromPassphrase(secret, options);
  return { current, former: inFile === null ? former : [...former, toSealingKey(inFile)] };
}

/** The former one may be as short as it was. */
function refuseShort(secret: string): void {
  const length = [...secret].length;
  if (length >= SHORTEST_SECRET) return;
  throw badConfig(
    `TOOLYARD_SECRET has ${length} ${length === 1 ? 'character' : 'characters'}: so short a text can be found by trying.`,
    `Set one of ${SHORTEST_SECRET} characters or more: "openssl rand -base64 24" makes one. If keys are stored already, give the short one as TOOLYARD_SECRET_OLD beside it.`,
  );
}

async function fromPassphrase(
  passphrase: string,
  { folder, log, shared, scryptCost = SCRYPT.N }: MasterKeyOptions,
): Promise<SealingKey> {
  const file = join(folder, SALT_FILE);
  const salt = shared ? await shared.salt() : (readBytes(file, SALT_BYTES, log) ?? makeSalt(folder));
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, { ...SCRYPT, N: scryptCost }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  return toSealingKey(derived);
}

/** What was known of keys was known of those of another salt. */
function makeSalt(folder: string): Buffer {
  rmSync(join(folder, FINGERPRINT_FILE), { force: true });
  return makeBytes(join(folder, SALT_FILE), SALT_BYTES);
}

/** Null where there is no such file. */
function readBytes(file: string, length: number, log: (line: string) => void): Buffer | null {
  const text = readPrivate(file, log);
  if (text === null) return null;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === length) return bytes;
  throw badConfig(
    `${file} is damaged: it does not hold a key.`,
    'Put it back from a backup. Without it, move the file away and enter the API keys of your providers again.',
  );
}

function makeBytes(file: string, length: number): Buffer {
  const bytes = randomBytes(length);
  writePrivate(file, bytes.toString('base64url'));
  return bytes;
}
