import type { HostedStore } from '@toolyard/mcp-host';
import type { Owner } from '@toolyard/protocol';
import { isStorageFault, parseJson } from '@toolyard/protocol';
import { z } from 'zod';
import type { Secrets } from '../secrets/secrets.ts';

const record = z.object({ url: z.string(), instanceId: z.string(), awaitsSignIn: z.boolean().exactOptional() });

/** Hosted servers that were made, kept sealed: whoever has the address of one can use it. */
export function createHostedStore(
  secrets: Pick<Secrets, 'get' | 'names' | 'add' | 'set' | 'remove'>,
  owner: Owner,
  /** There are other processes, with lists of their own. */
  isShared: boolean,
): HostedStore {
  const nameOf = (key: string): string => `mcp.${key}`;
  /** Beside the record, which may be being written by whoever does not know yet. */
  const endedName = (key: string): string => `mcp.ended.${key}`;
  return {
    async get(key) {
      const text = await secrets.get(owner, nameOf(key)).catch((thrown: unknown) => {
        // There is one, and somebody may be signed in to it: it can be read later.
        if (isStorageFault(thrown)) throw thrown;
        // One that can never be read is made anew.
        return null;
      });
      const parsed = parseJson(text ?? '');
      const read = record.safeParse(parsed.ok ? parsed.value : null);
      return read.success ? read.data : undefined;
    },
    add: (key, made) => secrets.add(owner, nameOf(key), JSON.stringify(made)),
    set: (key, made) => secrets.set(owner, nameOf(key), JSON.stringify(made)),
    delete: (key) => secrets.remove(owner, nameOf(key)),
    ...(isShared && {
      end: (key) => secrets.set(owner, endedName(key), 'removed'),
      wantAgain: (key) => secrets.remove(owner, endedName(key)),
      hasEnded: async (key) => (await secrets.names(owner, endedName(key))).includes(endedName(key)),
    }),
  };
}
