import { fc } from '@toolyard/testing/property';
import { expect, it } from 'vitest';
import { completeAddress } from './complete-address.ts';

const port = fc.option(
  fc.integer({ min: 1, max: 65_535 }).map((number) => `:${String(number)}`),
  { nil: '' },
);
const path = fc.constantFrom('', '/', '/mcp', '/a/b?c=d', '?key=1', '#x');
const octet = fc.nat({ max: 255 }).map(String);
const nearby = fc.oneof(
  fc.constantFrom(
    'localhost',
    'LocalHost',
    'box.local',
    'nas.lan',
    'host.docker.internal',
    '0.0.0.0',
    '[::1]',
    '[fe80::1]',
  ),
  fc.tuple(octet, octet, octet).map((rest) => ['127', ...rest].join('.')),
  fc.tuple(octet, octet, octet).map((rest) => ['10', ...rest].join('.')),
  fc.tuple(octet, octet).map((rest) => ['192.168', ...rest].join('.')),
);

it('an address without a scheme on this machine or its network gets http, as a valid URL', () => {
  fc.assert(
    fc.property(nearby, port, path, (host, number, rest) => {
      const typed = `${host}${number}${rest}`;
      expect(completeAddress(`  ${typed} `)).toBe(`http://${typed}`);
      expect(URL.canParse(`http://${typed}`)).toBe(true);
    }),
  );
});

it('a complete address stays, and applying it twice changes nothing', () => {
  const scheme = fc.constantFrom('http://', 'https://', 'ws://', 'wss://');
  fc.assert(
    fc.property(scheme, nearby, port, path, (start, host, number, rest) => {
      const typed = `${start}${host}${number}${rest}`;
      expect(completeAddress(typed)).toBe(typed);
      expect(completeAddress(completeAddress(`${host}${number}${rest}`))).toBe(`http://${host}${number}${rest}`);
    }),
  );
});

it.each([
  'example.org',
  'localhost.example.org',
  '11.0.0.1/x',
  'npx',
  'npx server',
  'mailto:a@b',
  'C:\\x',
  '${env:URL}/mcp',
  '',
])('nothing is added to %j', (typed) => {
  expect(completeAddress(typed)).toBe(typed);
});

it('a host of one word needs a port: without one it may be a command', () => {
  expect(completeAddress('raspberrypi:8080/mcp')).toBe('http://raspberrypi:8080/mcp');
  expect(completeAddress('raspberrypi')).toBe('raspberrypi');
});
