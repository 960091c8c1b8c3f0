import { createHmac } from 'node:crypto';
import type { Clock, Owner } from '@toolyard/protocol';
import { toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { Installation, SecretRepository } from '@toolyard/storage';
import { claimKey } from './claim-key.ts';
import type { MasterKeys } from './master-key.ts';
import { loadMasterKeys } from './master-key.ts';
import type { SealingKey } from './sealing.ts';
import { openSecret, sealSecret } from './sealing.ts';

export type SecretsOptions = {
  repository: SecretRepository;
  clock: Clock;
  /** The data folder, where key file and salt lie. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
  /** Where other machines have to come to the same key: what is kept for all of them. */
  shared?: Installation;
  /** Work of deriving a key from TOOLYARD_SECRET (`N` of scrypt, a power of two); default 2^15. */
  scryptCost?: number;
};

/** Texts kept encrypted: API keys and their like. */
export type Secrets = {
  /**
   * Null where there is none of that name.
   * @throws ToolyardError `bad_config` for one that cannot be read, saying which and what to do.
   */
  get(principal: Owner, name: string): Promise<string | null>;
  /** Names only, readable or not; with `prefix` those that begin with it. */
  names(principal: Owner, prefix?: string): Promise<string[]>;
  /** False, and nothing is kept, where there is one of that name, readable or not. */
  add(principal: Owner, name: string, text: string): Promise<boolean>;
  set(principal: Owner, name: string, text: string): Promise<void>;
  remove(principal: Owner, name: string): Promise<void>;
  /** A text for a place that is not this one, to be opened again under the same name only. */
  seal(principal: Owner, name: string, text: string): Promise<string>;
  /** @throws ToolyardError `bad_config` for what cannot be read. */
  unseal(principal: Owner, name: string, sealed: string): Promise<string>;
  /** @throws ToolyardError `bad_config` where TOOLYARD_SECRET is another one than that of what is kept. */
  claim(): Promise<void>;
  /**
   * Words by which the processes of this installation know each other: the one to say, the same in all of them, and after
   * it those to be understood from whoever was started before the secret was changed.
   */
  tokens(purpose: string): Promise<[string, ...string[]]>;
  /**
   * Tries every secret: seals anew what a former key has sealed, and tells in the log which cannot be read. Gives
   * their names. Never rejects: it runs beside the start.
   */
  check(principal: Owner): Promise<string[]>;
};

/** Secrets over their repository. The key is made, or derived, when it is first needed. */
export function createSecrets(options: SecretsOptions): Secrets {
  const { repository, clock, log } = options;
  let loading: Promise<MasterKeys> | undefined;

  function keys(): Promise<MasterKeys> {
    loading ??= loadMasterKeys(options).catch((thrown: unknown) => {
      // What a person puts right is to work without a new start.
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
    throw unreadable(name, opened.reason);
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
      throw unreadable(name, opened.reason);
    },
    claim: () => claimKey({ ...options, keys, everySealed: () => repository.everySealed() }),
    async tokens(purpose) {
      const { current, former } = await keys();
      const wordOf = ({ key }: SealingKey): string =>
        createHmac('sha256', key).update(`toolyard ${purpose}`).digest('base64url');
      return [wordOf(current), ...former.map(wordOf)];
    },
    async remove(principal, name) {
      await repository.remove(principal, name);
    },
    async check(principal) {
      const lost: string[] = [];
      const reasons = new Set<string>();
      try {
        for (const name of await repository.names(principal)) {
          try {
            await get(principal, name);
          } catch (thrown) {
            if (!ToolyardError.isInstance(thrown)) throw thrown;
            lost.push(name);
            reasons.add(`${thrown.message} ${thrown.hint ?? ''}`.trim());
          }
        }
      } catch (thrown) {
        reasons.add(`Not all secrets could be checked: ${toErrorInfo(thrown).message}`);
      }
      for (const reason of reasons) log(reason);
      return lost;
    },
  };
}

/** Sealed bytes are one owner's as well as one name's. */
function boundName({ ownerId }: Owner, name: string): string {
  return JSON.stringify([ownerId, name]);
}

function unreadable(name: string, reason: 'foreign' | 'damaged'): ToolyardError {
  const why =
    reason === 'foreign'
      ? 'it was encrypted with another key than the one in use (TOOLYARD_SECRET, or secret.key in the data folder)'
      : 'what is stored of it is damaged';
  return new ToolyardError({
    code: 'bad_config',
    message: `The secret "${name}" cannot be read: ${why}.`,
    hint:
      reason === 'foreign'
        ? 'Bring the former key back, or give it as TOOLYARD_SECRET_OLD; or enter the secret again.'
        : 'Enter it again.',
  });
}
