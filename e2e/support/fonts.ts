import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

const CHINESE = [
  ['noto-sans-tc', 'chinese-traditional'],
  ['noto-sans-sc', 'chinese-simplified'],
] as const;

/**
 * Chinese fonts beside those of the machine and of the browser's package: without them Chinese would be boxes. Gives
 * the configuration that names them.
 */
export function writeFontConfiguration(): string {
  const require = createRequire(import.meta.url);
  const folder = join(tmpdir(), 'toolyard-fonts');
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of CHINESE) {
    for (const weight of ['400', '700']) {
      const to = join(folder, `${name}-${weight}.ttf`);
      const from = `@fontsource/${name}/files/${name}-${script}-${weight}-normal.woff`;
      if (!existsSync(to)) writeFileSync(to, unpackWoff(readFileSync(require.resolve(from))));
    }
  }
  const folders = ['/usr/share/fonts', join(tmpdir(), 'fonts'), folder].map((path) => `<dir>${path}</dir>`);
  const file = join(folder, 'fonts.conf');
  const cache = `<cachedir>${join(folder, 'cache')}</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?><fontconfig>${folders.join('')}${cache}</fontconfig>`);
  return file;
}

/** The font inside a WOFF file, whose tables are compressed one by one: fontconfig reads only such. */
function unpackWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const power = 2 ** Math.floor(Math.log2(count));
  const head = Buffer.alloc(12 + count * 16);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(power * 16, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE((count - power) * 16, 10);

  const parts = [head];
  let end = head.length;
  for (let index = 0; index < count; index += 1) {
    const entry = 44 + index * 20;
    const offset = woff.readUInt32BE(entry + 4);
    const packed = woff.subarray(offset, offset + woff.readUInt32BE(entry + 8));
    const length = woff.readUInt32BE(entry + 12);
    const table = packed.length < length ? inflateSync(packed) : packed;
    const place = 12 + index * 16;
    woff.copy(head, place, entry, entry + 4);
    woff.copy(head, place + 4, entry + 16, entry + 20);
    head.writeUInt32BE(end, place + 8);
    head.writeUInt32BE(length, place + 12);
    // Each table begins at a multiple of four.
    const filled = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(filled);
    parts.push(filled);
    end += filled.length;
  }
  return Buffer.concat(parts);
}
