import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { moduleSizes } from './module-sizes.ts';

/** A bundled file whose first ten characters come from `a.ts` and the rest from a package. */
function bundle(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-modules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'bundle.js');
  writeFileSync(file, code);
  const sources = ['src/a.ts', 'node_modules/pkg/index.js'];
  writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources, names: [], mappings: 'AAAA,UCAA' }));
  return file;
}

it('divides a bundled file by module, and its compressed size in proportion', () => {
  const code = 'aaaaaaaaaabbbbbbbbbbbbbbbbbbbb';
  const file = bundle(code);
  const sizes = moduleSizes(file, join(file, '..'));
  expect(sizes.map(({ module, bytes }) => [module, bytes])).toEqual([
    ['src/a.ts', 10],
    ['pkg/index.js', 20],
  ]);
  expect(sizes.reduce((sum, { gzip }) => sum + gzip, 0)).toBeCloseTo(gzipSync(code).length);
});

it('counts a file without a source map as a whole', () => {
  const file = bundle('export {};');
  rmSync(`${file}.map`);
  expect(moduleSizes(file, '/')).toMatchObject([{ bytes: 10 }]);
});
