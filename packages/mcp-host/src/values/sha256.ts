import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 of a text as UTF-8, in hexadecimal. Web Crypto is asynchronous, and missing from pages that are not in a
 * secure context.
 *
 * @example
 * sha256('abc'); // 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 */
export function sha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
