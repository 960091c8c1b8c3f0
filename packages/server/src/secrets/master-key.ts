import { randomBytes, scrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '@toolyard/storage';
import { FINGERPRINT_FILE, KEY_FILE, SALT_FILE } from '@toolyard/storage';
import { createConfigError } from '../errors.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import type { SealingKey } from './sealing.ts';
import { toSealingKey } from './sealing.ts';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Cost of one guess of the passphrase: 32 MB of memory, about a tenth of a second. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
/** Characters. An attacker with a copy of the data can guess offline. */
const SHORTEST_SECRET = 16;

export type MasterKeyOptions = {
  /** The data folder, with key file and salt. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
  /** Shared data of all machines, from which each derives the same key. */
  shared?: Installation;
  /** Cost of deriving a key from TOOLYARD_SECRET (`N` of scrypt, a power of two); default 2^15. */
  scryptCost?: number;
};

/** The key that encrypts, and former keys that can still decrypt. */
export type MasterKeys = { current: SealingKey; former: readonly SealingKey[] };

/** TOOLYARD_SECRET and TOOLYARD_SECRET_OLD; undefined if not set. */
export function passphrasesIn(env: MasterKeyOptions['env']): { secret?: string; old?: string } {
  const secret = env['TOOLYARD_SECRET']?.trim() ?? '';
  const old = env['TOOLYARD_SECRET_OLD']?.trim() ?? '';
  return { ...(secret === '' ? {} : { secret }), ...(old === '' ? {} : { old }) };
}

/**
 * The key of this installation: derived from TOOLYARD_SECRET, else from the key file, which is created if missing.
 * After a change, former keys still decrypt: TOOLYARD_SECRET_OLD, or a key file from before TOOLYARD_SECRET was set.
 *
 * @throws ToolyardError `bad_config` if the key file is readable by other users or unusable, or TOOLYARD_SECRET is too
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
    throw createConfigError(
      'Secrets in a shared database are encrypted with TOOLYARD_SECRET, but it is not set.',
      'Set it to the same value (20 characters or more) for every process with this database.',
    );
  }
  if (secret === undefined) return { current: toSealingKey(inFile ?? makeBytes(file, KEY_BYTES)), former };
  const current = await fromPassphrase(secret, options);
  return { current, former: inFile === null ? former : [...former, toSealingKey(inFile)] };
}

/** TOOLYARD_SECRET_OLD may be short: earlier versions allowed that. */
function refuseShort(secret: string): void {
  const length = [...secret].length;
  if (length >= SHORTEST_SECRET) return;
  throw createConfigError(
    `TOOLYARD_SECRET has ${length} ${length === 1 ? 'character' : 'characters'}, which is short enough to be guessed.`,
    `Set ${SHORTEST_SECRET} characters or more; "openssl rand -base64 24" generates them. If secrets are ` +
      'stored already, set the short one as TOOLYARD_SECRET_OLD as well.',
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

/** A stored fingerprint belongs to the keys of the previous salt. */
function makeSalt(folder: string): Buffer {
  rmSync(join(folder, FINGERPRINT_FILE), { force: true });
  return makeBytes(join(folder, SALT_FILE), SALT_BYTES);
}

/** Null if the file does not exist. */
function readBytes(file: string, length: number, log: (line: string) => void): Buffer | null {
  const text = readPrivate(file, log);
  if (text === null) return null;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === length) return bytes;
  throw createConfigError(
    `${file} is damaged: it does not contain a valid key.`,
    'Restore it from a backup. Without a backup, move the file away and enter the API keys of your providers again.',
  );
}

function makeBytes(file: string, length: number): Buffer {
  const bytes = randomBytes(length);
  writePrivate(file, bytes.toString('base64url'));
  return bytes;
}
