import type { AnyText } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import type { RefusalReason } from './address.ts';
import { formatOrigin } from './hosts.ts';

/** Why a request is not sent. `address` is absent for names such as `localhost`. */
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
 * The error that callers of the guarded fetch get. Contains scheme, host and port of a URL, never its path or query.
 *
 * @param from The URL that redirected here; absent for the URL of the request.
 */
export function toRefusalError(refusal: FetchRefusal, from?: URL): ToolyardError {
  const { code, message, hint } = describeRefusal(refusal);
  const text = from === undefined ? message : say`${message} It was reached by a redirect from ${formatOrigin(from)}.`;
  return new ToolyardError({ code, message: text, hint });
}

type RefusalText = { code: 'address_refused' | 'network'; message: AnyText; hint: AnyText };

function describeRefusal(refusal: FetchRefusal): RefusalText {
  switch (refusal.kind) {
    case 'unreadable':
      return refused(say`This is not a valid URL.`, say`A valid URL looks like ${'https://example.com/page'}.`);
    case 'scheme':
      return refused(
        say`URLs that begin with ${refusal.url.protocol.slice(0, 40)} are not fetched.`,
        say`Use a URL that begins with https:// or http://.`,
      );
    case 'not_https':
      return refused(
        say`${formatOrigin(refusal.url)} is not encrypted, and only https:// is accepted here.`,
        say`Use a URL that begins with https://.`,
      );
    case 'userinfo':
      return refused(
        say`The URL at ${formatOrigin(refusal.url)} contains a user name or password.`,
        say`Remove the part between // and @; put credentials in a header or in the settings.`,
      );
    case 'not_allowed':
      return refused(
        say`${formatOrigin(refusal.url)} is not on the list of allowed URLs.`,
        say`The operator of this server maintains the list.`,
      );
    case 'port':
      return refused(
        say`Port ${refusal.url.port} is blocked for HTTP requests.`,
        say`It is reserved for another protocol; check the port in the URL.`,
      );
    case 'address':
      return refused(
        say`${`${formatOrigin(refusal.url)} ${describeTarget(refusal)}`}, and is not configured in Toolyard.`,
        say`URLs from models, pages, servers and redirects may only lead to the public internet. To use this URL, enter it in the settings.`,
      );
    case 'too_many_redirects':
      return failed(
        say`${formatOrigin(refusal.url)} redirects more than ${refusal.limit} times.`,
        say`Use the URL at which the redirects end.`,
      );
    case 'redirect_loop':
      return failed(say`${formatOrigin(refusal.url)} redirects in a loop.`, say`Fix the redirects of this server.`);
    case 'redirect_unwanted':
      return failed(
        say`${formatOrigin(refusal.url)} redirects, and redirects are not allowed here.`,
        say`Use the URL it redirects to, if you trust it.`,
      );
    case 'body_gone':
      return failed(
        say`A redirect to ${formatOrigin(refusal.url)} requires sending the body again, which was a stream and is consumed.`,
        say`Use the URL of the redirect.`,
      );
    case 'body_in_clear':
      return failed(
        say`A redirect to ${formatOrigin(refusal.url)} would send the body without encryption.`,
        say`Use a URL whose redirects stay with https://.`,
      );
  }
}

function describeTarget(refusal: { reason: RefusalReason; url: URL; address?: string }): string {
  const what = ADDRESS_KINDS[refusal.reason];
  const { address } = refusal;
  return address === undefined || refusal.url.hostname.includes(address)
    ? `is ${what}`
    : `resolves to ${address}, ${what}`;
}

const ADDRESS_KINDS: Record<RefusalReason, string> = {
  loopback: 'an address of this machine',
  private: 'an address in a private network',
  link_local: 'an address on the local link',
  unique_local: 'an address in a private network',
  carrier_nat: 'an address inside a provider’s network',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  unspecified: 'an unspecified address, which means this machine',
  documentation: 'an address reserved for documentation',
  reserved: 'a reserved address',
  metadata: 'the address of a cloud metadata service, which issues credentials',
  not_an_address: 'not a valid address',
};

function refused(message: AnyText, hint: AnyText): RefusalText {
  return { code: 'address_refused', message, hint };
}

function failed(message: AnyText, hint: AnyText): RefusalText {
  return { code: 'network', message, hint };
}
