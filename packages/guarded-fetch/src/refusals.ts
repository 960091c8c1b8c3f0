import { ToolyardError } from '@toolyard/protocol';
import type { RefusalReason } from './address.ts';
import { displayOf } from './hosts.ts';

/** Why a request is not made, before it is told to anybody. `address` is absent for names like `localhost`. */
export type FetchRefusal =
  | { kind: 'unreadable' }
  | { kind: 'scheme'; url: URL }
  | { kind: 'not_https'; url: URL }
  | { kind: 'userinfo'; url: URL }
  | { kind: 'not_allowed'; url: URL }
  | { kind: 'port'; url: URL }
  | { kind: 'address'; url: URL; reason: RefusalReason; address?: string }
  | { kind: 'too_many_redirects'; url: URL; limit: number }
  | { kind: 'redirect_loop'; url: URL }
  | { kind: 'redirect_unwanted'; url: URL }
  | { kind: 'body_gone'; url: URL }
  | { kind: 'body_in_clear'; url: URL };

/**
 * The error a caller of the guarded fetch sees. Names scheme, host and port of an address, never its path or query.
 *
 * @param from Who redirected there; absent for the address the request was made to.
 */
export function toError(refusal: FetchRefusal, from?: URL): ToolyardError {
  const { code, message, hint } = tell(refusal);
  const where = from === undefined ? '' : ` It was reached by a redirect from ${displayOf(from)}.`;
  return new ToolyardError({ code, message: `${message}${where}`, hint });
}

type Told = { code: 'address_refused' | 'network'; message: string; hint: string };

function tell(refusal: FetchRefusal): Told {
  switch (refusal.kind) {
    case 'unreadable':
      return refused('This is not a complete web address.', 'It should look like https://example.com/page.');
    case 'scheme':
      return refused(
        `${refusal.url.protocol.slice(0, 40)} addresses are not fetched.`,
        'Only addresses that begin with https:// or http:// are.',
      );
    case 'not_https':
      return refused(
        `${displayOf(refusal.url)} is not a secure address.`,
        'Only addresses that begin with https:// are taken here.',
      );
    case 'userinfo':
      return refused(
        `The address at ${displayOf(refusal.url)} has a user name or password in it.`,
        'Leave out everything between // and @; a sign-in belongs in a header or in the settings.',
      );
    case 'not_allowed':
      return refused(
        `${displayOf(refusal.url)} is not among the addresses that are allowed here.`,
        'The owner of this server decides which they are.',
      );
    case 'port':
      return refused(
        `Port ${refusal.url.port} is not one that web requests are sent to.`,
        'It belongs to another service; check the port in the address.',
      );
    case 'address':
      return refused(
        `${displayOf(refusal.url)} ${leadsTo(refusal)}, and somebody else chose this address.`,
        'What a model, a page, a server or a redirect names may only lead to the public internet. If you want this address to be used, enter it yourself in the settings.',
      );
    case 'too_many_redirects':
      return failed(
        `${displayOf(refusal.url)} redirects again after ${refusal.limit} redirects.`,
        'Use the address the redirects end at.',
      );
    case 'redirect_loop':
      return failed(
        `${displayOf(refusal.url)} redirects in a circle.`,
        'The server at this address must be put right.',
      );
    case 'redirect_unwanted':
      return failed(
        `${displayOf(refusal.url)} redirects elsewhere, which is not allowed here.`,
        'Use the address it redirects to, if you trust that one.',
      );
    case 'body_gone':
      return failed(
        `A redirect to ${displayOf(refusal.url)} asks for the data again, which was a stream and is used up.`,
        'Send to the address the redirect leads to.',
      );
    case 'body_in_clear':
      return failed(
        `A redirect to ${displayOf(refusal.url)} would send the data on without encryption.`,
        'Use an address that stays with https://.',
      );
  }
}

function leadsTo(refusal: { reason: RefusalReason; url: URL; address?: string }): string {
  const what = PLACES[refusal.reason];
  const { address } = refusal;
  return address === undefined || refusal.url.hostname.includes(address)
    ? `is ${what}`
    : `leads to ${address}, ${what}`;
}

const PLACES: Record<RefusalReason, string> = {
  loopback: 'an address of this machine itself',
  private: 'an address in a private network',
  link_local: 'an address on the local link',
  unique_local: 'an address in a private network',
  carrier_nat: 'an address inside a provider’s network',
  multicast: 'an address of a group of machines',
  broadcast: 'an address of all machines on the network',
  unspecified: 'an address that means this machine',
  documentation: 'an address that exists only in examples',
  reserved: 'an address kept for special uses',
  metadata: 'an address where cloud machines get their credentials',
  not_an_address: 'nothing that can be connected to',
};

function refused(message: string, hint: string): Told {
  return { code: 'address_refused', message, hint };
}

function failed(message: string, hint: string): Told {
  return { code: 'network', message, hint };
}
