import { RefusedAddressError } from './lookup.ts';
import type { FetchRefusal } from './refusals.ts';

/** The guard's refusal while connecting, which fetch hides in the cause of its error. */
export function refusalBehind(thrown: unknown, url: URL): FetchRefusal | null {
  const cause = thrown instanceof TypeError ? thrown.cause : thrown;
  if (cause instanceof RefusedAddressError) {
    return { kind: 'address', url, reason: cause.reason, address: cause.address };
  }
  return cause instanceof Error && cause.message === 'bad port' ? { kind: 'port', url } : null;
}
