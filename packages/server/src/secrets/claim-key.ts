import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolyardError } from '@toolyard/protocol';
import type { Installation } from '@toolyard/storage';
import { FINGERPRINT_FILE } from '@toolyard/storage';
import type { MasterKeyOptions, MasterKeys } from './master-key.ts';
import { passphrasesIn } from './master-key.ts';
import { badConfig, readPrivate, writePrivate } from './private-file.ts';
import type { SealingKey } from './sealing.ts';
import { isSealedWith } from './sealing.ts';

export type ClaimOptions = MasterKeyOptions & {
  keys: () => Promise<MasterKeys>;
  everySealed: () => Promise<Uint8Array[]>;
};

/**
 * Makes sure that TOOLYARD_SECRET is the one what is kept here was sealed with. Who comes first says which that is: where
 * nothing is sealed yet, or something opens with it; who gives the former one beside it changes it.
 *
 * @throws ToolyardError `bad_config` where it is another one
 */
export async function claimKey(options: ClaimOptions): Promise<void> {
  const { secret, old } = passphrasesIn(options.env);
  const known = options.shared ?? inFolder(options);
  if (secret === undefined) {
    // No key is made before one is needed.
    if ((await known.fingerprint()) === null) return;
    if (options.shared || old === undefined) throw notSet(options);
  }
  const { current, former } = await options.keys();
  const own = secret === undefined ? null : fingerprintOf(current);
  for (;;) {
    const before = await known.fingerprint();
    if (own === before) return;
    if (before === null && !(await canOpen([current, ...former], options))) return;
    if (before !== null && !former.some((key) => fingerprintOf(key) === before)) throw another(options);
    if (await known.setFingerprint(own, before)) return;
  }
}

/** The name of the key that every sealed text bears: whoever has the database learns nothing more from it. */
function fingerprintOf({ id }: SealingKey): string {
  return id.toString('hex');
}

async function canOpen(keys: readonly SealingKey[], { everySealed }: ClaimOptions): Promise<boolean> {
  const sealed = await everySealed();
  return sealed.length === 0 || sealed.some((bytes) => keys.some((key) => isSealedWith(key, bytes)));
}

/** Beside the salt; one process has the folder. */
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

function another({ shared, folder }: ClaimOptions): ToolyardError {
  return badConfig(
    shared
      ? 'TOOLYARD_SECRET is another one than that of this database: with it nothing could be read that is stored encrypted there, nor could other processes be reached.'
      : `TOOLYARD_SECRET is another one than that of the data folder ${folder}: with it nothing could be read that is stored encrypted there.`,
    `Start with the one it had. To change it, give the former one as TOOLYARD_SECRET_OLD beside it${shared ? ', in the way docs/operations.md tells' : ''}. If it is lost, see "The secret" in docs/operations.md.`,
  );
}

function notSet({ shared, folder }: ClaimOptions): ToolyardError {
  return badConfig(
    `TOOLYARD_SECRET is not set, and ${shared ? 'this database' : `the data folder ${folder}`} has one: what is stored encrypted there cannot be read without it.`,
    `Set it to the same text as before. ${shared ? '' : 'To go over to a key file, give it as TOOLYARD_SECRET_OLD alone. '}If it is lost, see "The secret" in docs/operations.md.`,
  );
}
