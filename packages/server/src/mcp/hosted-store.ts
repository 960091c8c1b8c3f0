import type { HostedStore } from '@toolyard/mcp-host';
import type { Owner } from '@toolyard/protocol';
import { isStorageFault, parseJson } from '@toolyard/protocol';
import { z } from 'zod';
import type { Secrets } from '../secrets/secrets.ts';

const record = z.object({ url: z.string(), instanceId: z.string(), awaitsSignIn: z.boolean().exactOptional() });

/** Created hosted servers, stored encrypted: their URL alone gives access. */
export function createHostedStore(
  secrets: Pick<Secrets, 'get' | 'names' | 'add' | 'set' | 'remove'>,
  owner: Owner,
  /** Other processes have their own server lists. */
  isShared: boolean,
): HostedStore {
  const getName = (key: string): string => `mcp.${key}`;
  /** Separate from the record, which another process may be writing at the same time. */
  const endedName = (key: string): string => `mcp.ended.${key}`;
  return {
    async get(key) {
      const text = await secrets.get(owner, getName(key)).catch((thrown: unknown) => {
        // The record exists, perhaps with a sign-in, and may be readable later.
        if (isStorageFault(thrown)) throw thrown;
        // A record that can never be read is created again.
        return null;
      });
      const parsed = parseJson(text ?? '');
      const read = record.safeParse(parsed.ok ? parsed.value : null);
      return read.success ? read.data : undefined;
    },
    add: (key, made) => secrets.add(owner, getName(key), JSON.stringify(made)),
    set: (key, made) => secrets.set(owner, getName(key), JSON.stringify(made)),
    delete: (key) => secrets.remove(owner, getName(key)),
    ...(isShared && {
      end: (key) => secrets.set(owner, endedName(key), 'removed'),
      wantAgain: (key) => secrets.remove(owner, endedName(key)),
      hasEnded: async (key) => (await secrets.names(owner, endedName(key))).includes(endedName(key)),
    }),
  };
}
