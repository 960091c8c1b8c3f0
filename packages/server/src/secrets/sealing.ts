import type { KeyObject } from 'node:crypto';
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/** Version of the byte layout below. */
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/** A key that encrypts secrets, and its id, which encrypted secrets contain. */
export type SealingKey = { id: Buffer; key: KeyObject };

/** `foreign`: encrypted with another key. `damaged`: with this key, but modified or moved to another name. */
export type OpenedSecret = { ok: true; text: string } | { ok: false; reason: 'foreign' | 'damaged' };

/** Derives a key from 32 secret bytes. */
export function toSealingKey(secret: Uint8Array): SealingKey {
  const derive = (purpose: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `toolyard ${purpose}`, length));
  return { id: derive('key id', KEY_ID_BYTES), key: createSecretKey(derive('sealing', 32)) };
}

/**
 * Encrypts a text with AES-256-GCM: version, key id, nonce, ciphertext, tag. The name is authenticated, so that the
 * bytes cannot be used under another one.
 */
export function sealSecret({ id, key }: SealingKey, name: string, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const head = Buffer.concat([Buffer.of(VERSION), id, nonce]);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(head, name));
  return Buffer.concat([head, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Compares only the key id; does not decrypt. */
export function isSealedWith({ id }: SealingKey, sealed: Uint8Array): boolean {
  return sealed[0] === VERSION && id.equals(sealed.subarray(1, 1 + KEY_ID_BYTES));
}

/** Decrypts a secret with this name. Never throws. */
export function openSecret({ id, key }: SealingKey, name: string, sealed: Uint8Array): OpenedSecret {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return { ok: false, reason: 'damaged' };
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!head.subarray(1, 1 + KEY_ID_BYTES).equals(id)) return { ok: false, reason: 'foreign' };
  const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(1 + KEY_ID_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(head, name));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
    return { ok: true, text: Buffer.concat([text, decipher.final()]).toString('utf8') };
  } catch {
    return { ok: false, reason: 'damaged' };
  }
}

function boundTo(head: Buffer, name: string): Buffer {
  return Buffer.concat([head.subarray(0, 1 + KEY_ID_BYTES), Buffer.from(name, 'utf8')]);
}
