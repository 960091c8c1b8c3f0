import { randomBytes, scrypt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ToolyardError } from '@toolyard/protocol';
import { KEY_FILE, SALT_FILE } from '@toolyard/storage';
import type { SealingKey } from './sealing.ts';
import { toSealingKey } from './sealing.ts';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Memory and work of one guess at the passphrase: 32 MB, about a tenth of a second. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export type MasterKeyOptions = {
  /** The data folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
  /** Where other machines have to come to the same key: what is kept for all of them. */
  salt?: () => Promise<Uint8Array>;
};

/** The key that seals what is new, and those that may have sealed what is old. */
export type MasterKeys = { current: SealingKey; former: readonly SealingKey[] };

/**
 * The key of this installation: from TOOLYARD_SECRET, else from the key file, which is made where there is none. After
 * a change the former one still opens what it sealed: TOOLYARD_SECRET_OLD, or a key file that has lain there before
 * TOOLYARD_SECRET was set.
 *
 * @throws ToolyardError `bad_config` where the key file is open to others or cannot be used
 */
export async function loadMasterKeys(options: MasterKeyOptions): Promise<MasterKeys> {
  const { folder, env, log, salt } = options;
  const secret = nonEmpty(env['TOOLYARD_SECRET']);
  const old = nonEmpty(env['TOOLYARD_SECRET_OLD']);
  const file = join(folder, KEY_FILE);
  const inFile = readPrivate(file, KEY_BYTES, log);
  const former = old === undefined ? [] : [await fromPassphrase(old, options)];
  if (secret === undefined && salt) {
    throw bad(
      'Secrets in a database that several machines share are sealed with TOOLYARD_SECRET, and that is not set.',
      'Set it to the same text, of 20 characters or more, wherever Toolyard runs over this database.',
    );
  }
  if (secret === undefined) return { current: toSealingKey(inFile ?? makePrivate(file, KEY_BYTES)), former };
  const current = await fromPassphrase(secret, options);
  return { current, former: inFile === null ? former : [...former, toSealingKey(inFile)] };
}

async function fromPassphrase(passphrase: string, { folder, log, ...shared }: MasterKeyOptions): Promise<SealingKey> {
  const file = join(folder, SALT_FILE);
  const salt = shared.salt
    ? await shared.salt()
    : (readPrivate(file, SALT_BYTES, log) ?? makePrivate(file, SALT_BYTES));
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, SCRYPT, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  return toSealingKey(derived);
}

/** Null where there is no such file. */
function readPrivate(file: string, length: number, log: (line: string) => void): Buffer | null {
  let text: string;
  try {
    closeToOthers(file, log);
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    if (ToolyardError.isInstance(thrown)) throw thrown;
    throw bad(`${file} cannot be read (${codeOf(thrown)}).`, 'Make it readable for the user Toolyard runs as.');
  }
  const bytes = Buffer.from(text.trim(), 'base64url');
  if (bytes.length === length) return bytes;
  throw bad(
    `${file} is damaged: it does not hold a key.`,
    'Put it back from a backup. Without it, move the file away and enter the API keys of your providers again.',
  );
}

/** Windows keeps its own lists of who may read what. */
function closeToOthers(file: string, log: (line: string) => void): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch (thrown) {
    throw bad(
      `${file} can be read by other users of this machine, and that cannot be changed (${codeOf(thrown)}).`,
      'Give the file to the user Toolyard runs as, with mode 600, or set TOOLYARD_SECRET instead.',
    );
  }
  log(`${file} could be read by other users of this machine; it is closed to them now. Consider its key known.`);
}

function makePrivate(file: string, length: number): Buffer {
  const bytes = randomBytes(length);
  const unfinished = `${file}.new`;
  try {
    // Only a whole file gets the name: half a key would lock everything sealed with it away.
    rmSync(unfinished, { force: true });
    const handle = openSync(unfinished, 'wx', 0o600);
    try {
      writeSync(handle, `${bytes.toString('base64url')}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(unfinished, file);
  } catch (thrown) {
    throw bad(
      `${file} cannot be written (${codeOf(thrown)}).`,
      'Make the data folder writable, or set TOOLYARD_SECRET.',
    );
  }
  return bytes;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason';
}

function bad(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}
