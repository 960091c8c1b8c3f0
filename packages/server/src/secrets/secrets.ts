import { createHmac } from 'node:crypto';
import type { Clock, Owner } from '@toolyard/protocol';
import { toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { SecretRepository } from '@toolyard/storage';
import { createConfigError } from '../errors.ts';
import { claimKey } from './claim-key.ts';
import type { MasterKeys } from './master-key.ts';
import type { MasterKeyOptions } from './master-key.ts';
import { loadMasterKeys } from './master-key.ts';
import type { SealingKey } from './sealing.ts';
import { openSecret, sealSecret } from './sealing.ts';

export type SecretsOptions = MasterKeyOptions & { repository: SecretRepository; clock: Clock };

/** Encrypted storage of texts such as API keys. */
export type Secrets = {
  /**
   * Null if the name does not exist.
   * @throws ToolyardError `bad_config` if it cannot be read, with its name and what to do
   */
  get(principal: Owner, name: string): Promise<string | null>;
  /** Names only, readable or not; `prefix` filters them. */
  names(principal: Owner, prefix?: string): Promise<string[]>;
  /** False, and nothing is stored, if the name exists, readable or not. */
  add(principal: Owner, name: string, text: string): Promise<boolean>;
  set(principal: Owner, name: string, text: string): Promise<void>;
  remove(principal: Owner, name: string): Promise<void>;
  /** Encrypts a text for storage elsewhere; it can be decrypted under the same name only. */
  seal(principal: Owner, name: string, text: string): Promise<string>;
  /** @throws ToolyardError `bad_config` if it cannot be decrypted */
  unseal(principal: Owner, name: string, sealed: string): Promise<string>;
  /** @throws ToolyardError `bad_config` if TOOLYARD_SECRET differs from the one of the stored data */
  claim(): Promise<void>;
  /**
   * Keys with which the processes of this installation authenticate each other: the first to send, equal in all
   * processes; the others to accept from processes started before the secret was changed.
   */
  tokens(purpose: string): Promise<[string, ...string[]]>;
  /**
   * Checks every secret: encrypts those of a former key again, and logs the unreadable ones. Returns their names. Never
   * rejects: it runs in the background.
   */
  check(principal: Owner): Promise<string[]>;
};

/** Secrets in their repository. The key is created or derived on first use. */
export function createSecrets(options: SecretsOptions): Secrets {
  const { repository, clock, log } = options;
  let loading: Promise<MasterKeys> | undefined;

  function keys(): Promise<MasterKeys> {
    loading ??= loadMasterKeys(options).catch((thrown: unknown) => {
      // Retry next time, so that a corrected configuration works without a restart.
      loading = undefined;
      throw thrown;
    });
    return loading;
  }

  async function set(principal: Owner, name: string, text: string): Promise<void> {
    const { current } = await keys();
    await repository.set(principal, name, sealSecret(current, boundName(principal, name), text), clock.now());
  }

  async function get(principal: Owner, name: string): Promise<string | null> {
    const sealed = await repository.get(principal, name);
    if (sealed === null) return null;
    const { current, former } = await keys();
    const bound = boundName(principal, name);
    const opened = openSecret(current, bound, sealed);
    if (opened.ok) return opened.text;
    for (const key of former) {
      const byFormer = openSecret(key, bound, sealed);
      if (!byFormer.ok) continue;
      await set(principal, name, byFormer.text);
      return byFormer.text;
    }
    throw createUnreadableError(name, opened.reason);
  }

  return {
    get,
    async add(principal, name, text) {
      const { current } = await keys();
      return repository.add(principal, name, sealSecret(current, boundName(principal, name), text), clock.now());
    },
    set,
    names: (principal, prefix) => repository.names(principal, prefix),
    async seal(principal, name, text) {
      const { current } = await keys();
      return Buffer.from(sealSecret(current, boundName(principal, name), text)).toString('base64');
    },
    async unseal(principal, name, sealed) {
      const { current, former } = await keys();
      const bytes = Buffer.from(sealed, 'base64');
      const bound = boundName(principal, name);
      const opened = openSecret(current, bound, bytes);
      if (opened.ok) return opened.text;
      for (const key of former) {
        const byFormer = openSecret(key, bound, bytes);
        if (byFormer.ok) return byFormer.text;
      }
      throw createUnreadableError(name, opened.reason);
    },
    claim: () => claimKey({ ...options, keys, everySealed: () => repository.everySealed() }),
    async tokens(purpose) {
      const { current, former } = await keys();
      const createProcessToken = ({ key }: SealingKey): string =>
        createHmac('sha256', key).update(`toolyard ${purpose}`).digest('base64url');
      return [createProcessToken(current), ...former.map(createProcessToken)];
    },
    async remove(principal, name) {
      await repository.remove(principal, name);
    },
    async check(principal) {
      const unreadableNames: string[] = [];
      const reasons = new Set<string>();
      try {
        for (const name of await repository.names(principal)) {
          try {
            await get(principal, name);
          } catch (thrown) {
            if (!ToolyardError.isInstance(thrown)) throw thrown;
            unreadableNames.push(name);
            reasons.add(`${thrown.message} ${thrown.hint ?? ''}`.trim());
          }
        }
      } catch (thrown) {
        reasons.add(`secrets: could not check all of them: ${toErrorInfo(thrown).message}`);
      }
      for (const reason of reasons) log(reason);
      return unreadableNames;
    },
  };
}

/** Encrypted bytes are bound to an owner and a name. */
function boundName({ ownerId }: Owner, name: string): string {
  return JSON.stringify([ownerId, name]);
}

function createUnreadableError(name: string, reason: 'foreign' | 'damaged'): ToolyardError {
  const why =
    reason === 'foreign'
      ? 'it was encrypted with another key than the current one (TOOLYARD_SECRET, or secret.key in the data folder)'
      : 'its stored data is damaged';
  return createConfigError(
    `The secret "${name}" cannot be read: ${why}.`,
    reason === 'foreign'
      ? 'Restore the former key, set it as TOOLYARD_SECRET_OLD, or enter the secret again.'
      : 'Enter it again.',
  );
}
