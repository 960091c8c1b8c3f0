import { createHmac } from 'node:crypto';
import type { TriggerSignature } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { readDeliveryId, isSigned } from './verify-signature.ts';

const SECRET = "It's a Secret to Everybody";
const NOW = 1_700_000_000_000;

const request = (text: string, headers: Record<string, string>) => ({
  body: Buffer.from(text),
  header: (name: string) => headers[name],
});
const signed = (signature: TriggerSignature, text: string, headers: Record<string, string>): boolean =>
  isSigned(request(text, headers), { signature, secret: SECRET, now: NOW });
const mac = (algorithm: string, text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac(algorithm, SECRET).update(text).digest(encoding);

describe('GitHub', () => {
  // The example of GitHub's documentation.
  const value = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  test('accepts the example of its documentation, and nothing else', () => {
    const github = { kind: 'github' } as const;
    expect(signed(github, 'Hello, World!', { 'x-hub-signature-256': value })).toBe(true);
    expect(signed(github, 'Hello, World?', { 'x-hub-signature-256': value })).toBe(false);
    expect(signed(github, 'Hello, World!', { 'x-hub-signature-256': value.slice(7) })).toBe(false);
    expect(signed(github, 'Hello, World!', { 'x-hub-signature-256': `${value}00` })).toBe(false);
    expect(signed(github, 'Hello, World!', {})).toBe(false);
  });
});

describe('Stripe', () => {
  const at = (seconds: number, ...more: string[]) => {
    const signature = `t=${seconds},${[...more, `v1=${mac('sha256', `${seconds}.{}`)}`].join(',')}`;
    return signed({ kind: 'stripe' }, '{}', { 'stripe-signature': signature });
  };

  test('accepts one of several signatures, within the tolerance', () => {
    expect(at(NOW / 1_000)).toBe(true);
    expect(at(NOW / 1_000, 'v1=00ff', 'v0=aa')).toBe(true);
    expect([at(NOW / 1_000 - 300), at(NOW / 1_000 - 301), at(NOW / 1_000 + 301)]).toEqual([true, false, false]);
  });

  test('the timestamp is part of what is signed', () => {
    const signature = `t=${NOW / 1_000},v1=${mac('sha256', `${NOW / 1_000 - 900}.{}`)}`;
    expect(signed({ kind: 'stripe' }, '{}', { 'stripe-signature': signature })).toBe(false);
  });
});

test('a generic HMAC has a header, an algorithm, an encoding and a prefix', () => {
  const hmac = { kind: 'hmac', header: 'X-Sign', algorithm: 'sha512', encoding: 'base64', prefix: 'v=' } as const;
  expect(signed(hmac, 'a', { 'x-sign': `v=${mac('sha512', 'a', 'base64')}` })).toBe(true);
  expect(signed(hmac, 'a', { 'x-sign': mac('sha512', 'a', 'base64') })).toBe(false);
  expect(signed(hmac, 'a', { 'x-sign': `v=${mac('sha512', 'a')}` })).toBe(false);
});

test('a delivery is identified by what the sender signs, or by the header that the user chose', () => {
  const headers = { 'x-github-delivery': 'one', 'x-id': 'chosen' };
  const id = (signature: TriggerSignature, text = '{}', payload = {}) =>
    readDeliveryId(request(text, headers), signature, payload);
  expect(id({ kind: 'stripe' }, '{}', { id: 'evt_1' })).toBe('evt_1');
  const hmac = { kind: 'hmac', header: 'x', algorithm: 'sha256', encoding: 'hex' } as const;
  expect(id({ ...hmac, deliveryHeader: 'X-Id' })).toBe('chosen');
  for (const signature of [{ kind: 'github' } as const, hmac]) {
    expect(id(signature)).toMatch(/^sha256:/);
    expect(id(signature)).not.toBe(id(signature, '{ }'));
  }
});
