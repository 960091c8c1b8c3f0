import { writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const SIGNATURE_BYTES = 8;

/** Saves what the window shows, after transitions have ended. */
export async function savePicture(page: Page, path: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  writeFileSync(path, compressPng(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
}

/** The browser compresses for speed; with the slowest level the same pixels take about a third less. */
function compressPng(png: Buffer): Buffer {
  const kept: Buffer[] = [png.subarray(0, SIGNATURE_BYTES)];
  const data: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') data.push(png.subarray(at + 8, end - 4));
    else if (type === 'IEND') kept.push(chunk('IDAT', recompress(Buffer.concat(data))), png.subarray(at, end));
    else kept.push(png.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function recompress(data: Buffer): Buffer {
  return deflateSync(inflateSync(data), { level: 9, memLevel: 9 });
}

/** Length, type, data and checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
