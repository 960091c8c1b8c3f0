import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compressFiles } from './compress-files.ts';

it('writes two compressed files beside each text, in folders too, and none beside images', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'compress-'));
  try {
    const text = 'body { margin: 0 }\n'.repeat(100);
    mkdirSync(join(folder, 'inner'));
    for (const name of ['page.css', 'inner/script.js', 'icon.png']) writeFileSync(join(folder, name), text);
    await compressFiles(folder);
    for (const name of ['page.css', 'inner/script.js']) {
      expect(brotliDecompressSync(readFileSync(join(folder, `${name}.br`))).toString()).toBe(text);
      expect(gunzipSync(readFileSync(join(folder, `${name}.gz`))).toString()).toBe(text);
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('icon'))).toEqual(['icon.png']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
