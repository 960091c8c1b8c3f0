import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

const CHINESE = [
  ['noto-sans-tc', 'chinese-traditional'],
  ['noto-sans-sc', 'chinese-simplified'],
] as const;

/**
 * Chinese fonts in addition to those of the machine and of the browser's package, which are in `folder`: without them
 * Chinese would be boxes. `fonts.conf` lists the folders, and is rewritten when the folder moves.
 */
export function writeFonts(folder: string, movedTo: string): void {
  const require = createRequire(import.meta.url);
  mkdirSync(join(folder, 'chinese'));
  for (const [name, script] of CHINESE) {
    for (const weight of ['400', '700']) {
      const to = join(folder, 'chinese', `${name}-${weight}.ttf`);
      const from = `@fontsource/${name}/files/${name}-${script}-${weight}-normal.woff`;
      writeFileSync(to, unpackWoff(readFileSync(require.resolve(from))));
    }
  }
  const folders = ['/usr/share/fonts', join(movedTo, 'fonts'), join(movedTo, 'chinese')];
  const named = folders.map((path) => `<dir>${path}</dir>`).join('');
  const cache = `<cachedir>${join(movedTo, 'font-cache')}</cachedir>`;
  writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${named}${cache}</fontconfig>`);
}

/** The font inside a WOFF file, whose tables are compressed one by one: fontconfig reads uncompressed fonts only. */
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
    // Each table starts at a multiple of four.
    const filled = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(filled);
    parts.push(filled);
    end += filled.length;
  }
  return Buffer.concat(parts);
}
