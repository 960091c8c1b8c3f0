import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { isRefusedAddress } from './address.ts';

describe('refuses every special range from its first to its last address', () => {
  const ranges = [
    ['0.0.0.0', '0.255.255.255', 'unspecified'],
    ['10.0.0.0', '10.255.255.255', 'private'],
    ['100.64.0.0', '100.127.255.255', 'carrier_nat'],
    ['127.0.0.0', '127.255.255.255', 'loopback'],
    ['169.254.0.0', '169.254.255.255', 'link_local'],
    ['172.16.0.0', '172.31.255.255', 'private'],
    ['192.0.0.0', '192.0.0.255', 'reserved'],
    ['192.0.2.0', '192.0.2.255', 'documentation'],
    ['192.88.99.0', '192.88.99.255', 'reserved'],
    ['192.168.0.0', '192.168.255.255', 'private'],
    ['198.18.0.0', '198.19.255.255', 'reserved'],
    ['198.51.100.0', '198.51.100.255', 'documentation'],
    ['203.0.113.0', '203.0.113.255', 'documentation'],
    ['224.0.0.0', '239.255.255.255', 'multicast'],
    ['240.0.0.0', '255.255.255.254', 'reserved'],
    ['255.255.255.255', '255.255.255.255', 'broadcast'],
    ['::', '::', 'unspecified'],
    ['::1', '::1', 'loopback'],
    ['100::', '100::ffff:ffff:ffff:ffff', 'reserved'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
    ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
    ['4000::', '4000::1', 'reserved'],
    ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique_local'],
    ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link_local'],
    ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
    ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:808:808', 'reserved'],
  ] as const;

  test.each(ranges)('%s to %s is %s', (first, last, reason) => {
    expect(isRefusedAddress(last)).toBe(reason);
    // Embedded IPv4 addresses take precedence; 64:ff9b:1:: embeds 0.0.0.0.
    expect(isRefusedAddress(first)).toBe(first === '64:ff9b:1::' ? 'unspecified' : reason);
  });

  test.each([
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '1.1.1.1',
    '8.8.8.8',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2001:4860:4860::8888',
  ])('%s next to them is public', (address) => {
    expect(isRefusedAddress(address)).toBeNull();
  });
});

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:0ec2:0::0254',
  'FD20:CE::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
])('refuses the cloud metadata service as %s', (address) => {
  expect(isRefusedAddress(address)).toBe('metadata');
});

/** All IPv6 addresses that route packets to this IPv4 address. */
function listCarriers(a: number, b: number, c: number, d: number): string[] {
  const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
  const [high, low] = [hex(a, b), hex(c, d)];
  const [hiddenHigh, hiddenLow] = [hex(a ^ 255, b ^ 255), hex(c ^ 255, d ^ 255)];
  return [
    `::ffff:${a}.${b}.${c}.${d}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::f7f7:f7f7`,
    `2001:0:808:808::${hiddenHigh}:${hiddenLow}`,
    `2a00:1450::5efe:${high}:${low}`,
    `2a00:1450::200:5efe:${high}:${low}`,
  ];
}

const byte = fc.integer({ min: 0, max: 255 });

test('refuses an IPv6 address that embeds an IPv4 address exactly if that one is refused', () => {
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const reason = isRefusedAddress(`${a}.${b}.${c}.${d}`);
      for (const carrier of listCarriers(a, b, c, d))
        expect([carrier, isRefusedAddress(carrier)]).toEqual([carrier, reason]);
    }),
    cases(500),
  );
});

test('refuses a private address in every embedding', () => {
  const privateAddress = fc.oneof(
    fc.tuple(fc.constant(10), byte, byte, byte),
    fc.tuple(fc.constant(127), byte, byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  );
  fc.assert(
    fc.property(privateAddress, ([a, b, c, d]) => {
      for (const carrier of listCarriers(a, b, c, d)) expect(isRefusedAddress(carrier)).not.toBeNull();
      expect(isRefusedAddress(`::${a}.${b}.${c}.${d}`)).not.toBeNull();
      expect(isRefusedAddress(`::ffff:0:${a}.${b}.${c}.${d}`)).not.toBeNull();
    }),
  );
});

test('judges all spellings of an address alike', () => {
  const part = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(part, { minLength: 8, maxLength: 8 }), (parts) => {
      const long = parts.map((value) => value.toString(16).padStart(4, '0')).join(':');
      const url = new URL(`http://[${long}]/`);
      expect(isRefusedAddress(url.hostname.slice(1, -1))).toBe(isRefusedAddress(long));
      expect(isRefusedAddress(long.toUpperCase())).toBe(isRefusedAddress(long));
    }),
  );
});

test('accepts no IPv6 address outside 2000::/3, except one that embeds a public address', () => {
  const part = fc.integer({ min: 0, max: 0xffff });
  const first = part.filter((value) => value >> 13 !== 1);
  fc.assert(
    fc.property(first, fc.array(part, { minLength: 7, maxLength: 7 }), (head, rest) => {
      expect(isRefusedAddress([head, ...rest].map((value) => value.toString(16)).join(':'))).not.toBeNull();
    }),
  );
});

test('refuses anything that is not a plain address, and never throws', () => {
  const forms = [
    '',
    '1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '1.1.1.1 ',
    '1.1.1.1.',
    '[::1]',
    '1.1.1.1/8',
  ];
  for (const form of forms) expect(isRefusedAddress(form)).toBe('not_an_address');
  expect(isRefusedAddress('fe80::1%eth0')).toBe('link_local');
  expect(isRefusedAddress('2a00:1450::1%eth0')).toBe('link_local');
  fc.assert(fc.property(fc.string(), (text) => void isRefusedAddress(text)));
});
