import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolyardError } from '@toolyard/protocol';
import type { Installation } from '@toolyard/storage';
import { FINGERPRINT_FILE } from '@toolyard/storage';
import { createConfigError } from '../errors.ts';
import type { MasterKeyOptions, MasterKeys } from './master-key.ts';
import { passphrasesIn } from './master-key.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import type { SealingKey } from './sealing.ts';
import { isSealedWith } from './sealing.ts';

export type ClaimOptions = MasterKeyOptions & {
  keys: () => Promise<MasterKeys>;
  everySealed: () => Promise<Uint8Array[]>;
};

/**
 * Checks that TOOLYARD_SECRET is the one used to encrypt the stored data. The first process decides: if nothing is
 * encrypted yet, or something can be decrypted with it. With the former secret set as well, it is changed.
 *
 * @throws ToolyardError `bad_config` if it is a different one
 */
export async function claimKey(options: ClaimOptions): Promise<void> {
  const { secret, old } = passphrasesIn(options.env);
  const known = options.shared ?? inFolder(options);
  if (secret === undefined) {
    // Do not create a key before one is needed.
    if ((await known.fingerprint()) === null) return;
    if (options.shared || old === undefined) throw createSecretNotSetError(options);
  }
  const { current, former } = await options.keys();
  const own = secret === undefined ? null : getFingerprint(current);
  for (;;) {
    const before = await known.fingerprint();
    if (own === before) return;
    if (before === null && !(await canOpen([current, ...former], options))) return;
    if (before !== null && !former.some((key) => getFingerprint(key) === before)) throw createOtherSecretError(options);
    if (await known.setFingerprint(own, before)) return;
  }
}

/** The key id in every encrypted text; it reveals nothing else about the key. */
function getFingerprint({ id }: SealingKey): string {
  return id.toString('hex');
}

async function canOpen(keys: readonly SealingKey[], { everySealed }: ClaimOptions): Promise<boolean> {
  const sealed = await everySealed();
  return sealed.length === 0 || sealed.some((bytes) => keys.some((key) => isSealedWith(key, bytes)));
}

/** Stored beside the salt; only one process uses the folder. */
function inFolder({ folder, log }: ClaimOptions): Pick<Installation, 'fingerprint' | 'setFingerprint'> {
  const file = join(folder, FINGERPRINT_FILE);
  return {
    fingerprint: () => Promise.resolve(readPrivate(file, log)),
    setFingerprint(fingerprint) {
      if (fingerprint === null) rmSync(file, { force: true });
      else writePrivate(file, fingerprint);
      return Promise.resolve(true);
    },
  };
}

function createOtherSecretError({ shared, folder }: ClaimOptions): ToolyardError {
  return createConfigError(
    shared
      ? 'TOOLYARD_SECRET differs from the secret of this database: stored secrets could not be decrypted, ' +
          'nor other processes reached.'
      : `TOOLYARD_SECRET differs from the secret of the data folder ${folder}: stored secrets could not be decrypted.`,
    'Start with the previous value. To change it, set the previous value as TOOLYARD_SECRET_OLD as ' +
      `well${shared ? ', as described in docs/operations.md' : ''}. If it is lost, see "The secret" in ` +
      'docs/operations.md.',
  );
}

function createSecretNotSetError({ shared, folder }: ClaimOptions): ToolyardError {
  return createConfigError(
    `TOOLYARD_SECRET is not set, but ${shared ? 'this database' : `the data folder ${folder}`} was ` +
      'encrypted with one: stored secrets cannot be decrypted without it.',
    'Set it to the previous value. ' +
      `${shared ? '' : 'To change to a key file, set only TOOLYARD_SECRET_OLD, to that value. '}If it is ` +
      'lost, see "The secret" in docs/operations.md.',
  );
}
