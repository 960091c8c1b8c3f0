import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { RefusalReason } from './address.ts';

/** All addresses of a name. Rejects like the system resolver, with a `code` such as `ENOTFOUND`. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The system resolver, including the hosts file. */
export const resolveWithSystem: Resolve = async (hostname) => {
  const found = await systemLookup(hostname, { all: true });
  return found.map((entry) => entry.address);
};

/** A name resolves to a refused address. Never leaves this package. */
export class RefusedAddressError extends Error {
  readonly address: string;
  readonly reason: RefusalReason;

  constructor(address: string, reason: RefusalReason) {
    super(`refused address: ${reason}`);
    this.name = 'RefusedAddressError';
    this.address = address;
    this.reason = reason;
  }
}

/**
 * A `lookup` for sockets: resolves once, checks every address and returns exactly these addresses. Nothing resolves
 * again between check and connection, so a changed DNS answer has no effect.
 *
 * One refused address refuses the name: a socket tries all addresses.
 */
export function createLookup(resolve: Resolve, refuse: (ip: string) => RefusalReason | null): LookupFunction {
  return (hostname, options, callback) => {
    find(hostname, resolve, refuse).then(
      (addresses) => {
        if (options.all === true) {
          callback(null, addresses);
          return;
        }
        const family = options.family === 4 || options.family === 'IPv4' ? 4 : options.family === 6 ? 6 : 0;
        const first = addresses.find((entry) => family === 0 || entry.family === family) ?? addresses[0];
        if (first === undefined) callback(notFound(hostname), '');
        else callback(null, first.address, first.family);
      },
      (thrown: unknown) => callback(thrown instanceof Error ? thrown : notFound(hostname), ''),
    );
  };
}

type Found = { address: string; family: number };

async function find(
  hostname: string,
  resolve: Resolve,
  refuse: (ip: string) => RefusalReason | null,
): Promise<Found[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw notFound(hostname);
  return addresses.map((address) => {
    const family = isIP(address);
    const reason = family === 0 ? 'not_an_address' : refuse(address);
    if (reason !== null) throw new RefusedAddressError(address, reason);
    return { address, family };
  });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
