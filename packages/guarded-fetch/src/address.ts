import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why an address is not part of the public internet. */
export type RefusalReason =
  | 'loopback'
  | 'private'
  | 'link_local'
  | 'unique_local'
  | 'carrier_nat'
  | 'multicast'
  | 'broadcast'
  | 'unspecified'
  | 'documentation'
  | 'reserved'
  | 'metadata'
  | 'not_an_address';

/**
 * Metadata services, where clouds issue a machine's credentials. One is a public address, others are in various ranges.
 */
const METADATA = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:42::42',
  ].map((address) => ipaddr.parse(address).toString()),
);

const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'].map((range) =>
  ipaddr.parseCIDR(range),
);

/** All global unicast addresses (RFC 4291); the rest of IPv6 is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const RANGE_REASONS: Record<string, RefusalReason | null> = {
  unicast: null,
  loopback: 'loopback',
  private: 'private',
  linkLocal: 'link_local',
  deprecatedSiteLocal: 'private',
  uniqueLocal: 'unique_local',
  carrierGradeNat: 'carrier_nat',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
};

/**
 * Returns why only the operator may choose this address; null for an address of the public internet. An IPv6 address
 * that embeds an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP) is judged by the embedded one.
 *
 * @param ip IPv4 in dotted decimal or IPv6 without brackets, as resolvers and `new URL()` return them; anything else is
 * `not_an_address`.
 *
 * @example
 * isRefusedAddress('::ffff:a9fe:a9fe'); // 'metadata'
 * isRefusedAddress('1.1.1.1'); // null
 */
export function isRefusedAddress(ip: string): RefusalReason | null {
  // ipaddr.js also parses octal, hexadecimal and shortened forms, which resolvers may parse differently.
  if (isIP(ip) === 0) return 'not_an_address';
  // A zone names a network interface of this machine.
  if (ip.includes('%')) return 'link_local';
  const address = ipaddr.parse(ip);
  return address instanceof ipaddr.IPv4 ? judgeV4(address) : judgeV6(address);
}

function judgeV4(address: ipaddr.IPv4): RefusalReason | null {
  return judgeNamed(address) ?? judgeRange(address.range());
}

function judgeV6(address: ipaddr.IPv6): RefusalReason | null {
  const named = judgeNamed(address);
  if (named !== null) return named;
  for (const carried of carriedBy(address)) {
    const reason = judgeV4(carried);
    if (reason !== null) return reason;
  }
  const range = address.range();
  // The embedded address was checked above: in an IPv6-only network every IPv4 host has such an address.
  if (range === 'ipv4Mapped' || range === '6to4' || range === 'teredo' || address.match(NAT64)) return null;
  return judgeRange(range) ?? (address.match(GLOBAL_UNICAST) ? null : 'reserved');
}

function judgeNamed(address: ipaddr.IPv4 | ipaddr.IPv6): RefusalReason | null {
  if (METADATA.has(address.toString())) return 'metadata';
  const isDocumentation = DOCUMENTATION.some(
    ([base, bits]) => base.kind() === address.kind() && address.match(base, bits),
  );
  return isDocumentation ? 'documentation' : null;
}

function judgeRange(range: string): RefusalReason | null {
  const reason = RANGE_REASONS[range];
  return reason === undefined ? 'reserved' : reason;
}

/** The IPv4 addresses that may receive a packet to this IPv6 address. */
function carriedBy(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  const last = v4(g, h);
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return [last];
    case '6to4':
      return [v4(b, c)];
    case 'teredo':
      return [v4(c, d), v4(g ^ 0xffff, h ^ 0xffff)];
    default: {
      // `::a.b.c.d` (deprecated); `::` and `::1` are special themselves.
      if (a + b + c + d + e + f === 0 && g !== 0) return [last];
      const isIsatap = (e & 0xfdff) === 0 && f === 0x5efe;
      return isIsatap ? [last] : [];
    }
  }
}

function v4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
