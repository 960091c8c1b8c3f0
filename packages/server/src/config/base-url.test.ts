import { expect, test } from 'vitest';
import { checkBaseUrl } from './base-url.ts';

const check = (input: string): string => checkBaseUrl(input, { code: 'bad_request' });

test.each([
  '0',
  '1',
  '127',
  '127.1',
  '0x7f.1',
  '2130706433',
  'http://0/v1',
  'http://017700000001:8080/v1',
  '１２７.0.0.1',
])('rejects %s, which URL parsers read as an IPv4 address', (input) => {
  expect(() => check(input)).toThrow('is not the host of a model server');
});

test.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://0.0.0.0:8080/v1/', 'http://0.0.0.0:8080/v1'],
  ['localhost:11434/v1', 'http://localhost:11434/v1'],
  ['HTTPS://Api.Example.com/v1#x', 'https://api.example.com/v1'],
  ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
])('accepts %s', (input, url) => {
  expect(check(input)).toBe(url);
});
