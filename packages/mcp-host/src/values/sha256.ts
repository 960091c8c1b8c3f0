const FIRST_PRIMES = primes(64);
const K = FIRST_PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = FIRST_PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

/**
 * SHA-256 (FIPS 180-4) of a text as UTF-8, in hexadecimal. Written out because the platform's own is asynchronous, and
 * missing from pages that are not on a secure origin.
 */
export function sha256(text: string): string {
  const state = Uint32Array.from(START);
  const bytes = padded(new TextEncoder().encode(text));
  const view = new DataView(bytes.buffer);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < bytes.length; block += 64) {
    for (let at = 0; at < 16; at++) schedule[at] = view.getUint32(block + at * 4);
    for (let at = 16; at < 64; at++) {
      const [early, late] = [word(schedule, at - 15), word(schedule, at - 2)];
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      schedule[at] = word(schedule, at - 16) + low + word(schedule, at - 7) + high;
    }
    compress(state, schedule);
  }
  return [...state].map((part) => part.toString(16).padStart(8, '0')).join('');
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + (K[at] ?? 0) + word(schedule, at)) | 0;
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = word(state, at) + value;
}

/** A one, zeros, and the length in bits, up to a whole number of blocks. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
  return whole;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/** The first 32 bits behind the point. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function word(words: Uint32Array, at: number): number {
  return words[at] ?? 0;
}
