import type { AuthStore } from '@toolyard/mcp-host';
import type { Clock, Owner } from '@toolyard/protocol';
import { isJsonObject, isStorageFault, parseJson, ToolyardError } from '@toolyard/protocol';
import type { SignInRepository } from '@toolyard/storage';
import type { Secrets } from '../secrets/secrets.ts';

export type SignInStoreOptions = {
  repository: SignInRepository;
  secrets: Pick<Secrets, 'seal' | 'unseal'>;
  owner: Owner;
  clock: Clock;
};

/** Stores sign-ins to MCP servers encrypted in the database. */
export function createSignInStore({ repository, secrets, owner, clock }: SignInStoreOptions): AuthStore {
  /** Encrypted with its own name as context, so that no other secret can replace it. */
  const getName = (key: string): string => `sign-in:${key}`;

  return {
    async get(key) {
      const row = await repository.get(owner, key);
      if (row === null) return undefined;
      const text = await secrets
        .unseal(owner, getName(key), Buffer.from(row.sealed).toString('base64'))
        .catch((thrown: unknown) => {
          // The encryption key was lost; the next sign-in overwrites this row.
          if (ToolyardError.isInstance(thrown) && !isStorageFault(thrown)) return '{}';
          throw thrown;
        });
      const parsed = parseJson(text);
      return { value: parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}, version: row.version };
    },
    async put(key, value, expected, expiresAt) {
      const at = clock.now();
      if (expiresAt !== undefined) await repository.sweep(at);
      const sealed = Buffer.from(await secrets.seal(owner, getName(key), JSON.stringify(value)), 'base64');
      return repository.put(owner, key, { sealed, expected, expiresAt: expiresAt ?? null, at });
    },
    remove: (key, expected) => repository.remove(owner, key, expected),
  };
}
