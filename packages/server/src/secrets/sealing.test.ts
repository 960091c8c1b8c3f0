import { describe, expect, it } from 'vitest';
import { openSecret, sealSecret, toSealingKey } from './sealing.ts';

const key = toSealingKey(new Uint8Array(32).fill(7));

describe('an encrypted secret', () => {
  it('decrypts under its own name, and reveals nothing before', () => {
    const sealed = sealSecret(key, 'provider:a', 'sk-秘密');
    expect(Buffer.from(sealed).includes('sk-')).toBe(false);
    expect(openSecret(key, 'provider:a', sealed)).toEqual({ ok: true, text: 'sk-秘密' });
  });

  it('differs each time', () => {
    expect(sealSecret(key, 'a', 'same')).not.toEqual(sealSecret(key, 'a', 'same'));
  });

  it('cannot be decrypted under another name', () => {
    expect(openSecret(key, 'provider:b', sealSecret(key, 'provider:a', 'x'))).toEqual({ ok: false, reason: 'damaged' });
  });

  it('reports that it was encrypted with another key', () => {
    const other = toSealingKey(new Uint8Array(32).fill(8));
    expect(openSecret(other, 'a', sealSecret(key, 'a', 'x'))).toEqual({ ok: false, reason: 'foreign' });
  });

  it('cannot be decrypted after any bit has changed', () => {
    const sealed = Buffer.from(sealSecret(key, 'a', 'text'));
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openSecret(key, 'a', changed).ok, `byte ${at}`).toBe(false);
    }
  });

  it('is rejected when truncated', () => {
    for (const length of [0, 1, 5, 20, 32]) {
      expect(openSecret(key, 'a', sealSecret(key, 'a', 'text').subarray(0, length)).ok).toBe(false);
    }
  });
});
