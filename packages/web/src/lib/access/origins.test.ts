import { expect, test } from 'vitest';
import { originsFor } from './origins.ts';

const LAN = 'http://192.168.0.7:8710';

test('offers no loopback URL to another device', () => {
  for (const hostname of ['localhost', '127.0.0.1', '[::1]']) {
    expect(originsFor([], { origin: `http://${hostname}:8710`, hostname })).toEqual([]);
    expect(originsFor([LAN], { origin: `http://${hostname}:8710`, hostname })).toEqual([LAN]);
  }
});

test('offers the URL of the page first if others can reach it', () => {
  const page = { origin: 'https://tools.example.com', hostname: 'tools.example.com' };
  expect(originsFor([LAN], page)).toEqual(['https://tools.example.com', LAN]);
  expect(originsFor([LAN], { origin: LAN, hostname: '192.168.0.7' })).toEqual([LAN]);
});
