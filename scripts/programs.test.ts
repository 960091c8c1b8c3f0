import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { bundled, FOLDER, TESTED } from './programs.ts';
import { ROOT } from './run.ts';

mkdirSync(FOLDER, { recursive: true });
const sources = mkdtempSync(join(FOLDER, 'sources-'));
const name = `test${sources.slice(-6)}`;
const set = { name, sources: [relative(ROOT, join(sources, 'main.ts'))], threads: {} };

function write(text: string): void {
  writeFileSync(join(sources, 'main.ts'), "import { text } from './text.ts';\nconsole.log(text as string);\n");
  writeFileSync(join(sources, 'text.ts'), text);
}

const run = (folder: string): string =>
  execFileSync(process.execPath, [join(folder, relative(ROOT, sources), 'main.js')], { encoding: 'utf8' });

const folders = (): string[] => readdirSync(FOLDER).filter((entry) => entry.startsWith(`${name}-`));

afterEach(() => {
  for (const entry of readdirSync(FOLDER)) {
    if (entry.startsWith(name)) rmSync(join(FOLDER, entry), { recursive: true });
  }
});

afterAll(() => rmSync(sources, { recursive: true }));

describe('a program', () => {
  test('is bundled once per state of its sources', async () => {
    write("export const text: string = 'one';");
    const first = await bundled(set);
    expect(run(first)).toBe('one\n');
    expect(await bundled(set)).toBe(first);
    write("export const text: string = 'the second';");
    const second = await bundled(set);
    expect(run(second)).toBe('the second\n');
    // A process of the older one may still load files from it.
    expect(run(first)).toBe('one\n');
    rmSync(second, { recursive: true });
    expect(run(await bundled(set))).toBe('the second\n');
  });

  test('keeps only the newest folders', async () => {
    for (let n = 1; n <= 4; n++) {
      write(`export const text: string = '${'x'.repeat(n)}';`);
      expect(run(await bundled(set))).toBe(`${'x'.repeat(n)}\n`);
    }
    expect(folders()).toHaveLength(3);
  });

  test('reports the location of a bundling error and keeps the previous bundle', async () => {
    write("export const text: string = 'one';");
    const first = await bundled(set);
    write('export const text: string = ;');
    await expect(bundled(set)).rejects.toThrow('text.ts');
    expect(existsSync(first)).toBe(true);
    write("export const text: string = 'mended';");
    expect(run(await bundled(set))).toBe('mended\n');
  });

  test('can be bundled by several processes at once', async () => {
    write("export const text: string = 'for all';");
    const all = await Promise.all([1, 2].map(() => bundled(set)));
    expect(all.map(run)).toEqual(all.map(() => 'for all\n'));
  });

  test('contains no absolute paths, so that a copied checkout runs its own', async () => {
    const folder = await bundled(TESTED);
    const files = [`${TESTED.name}.json`, ...globSync(`${relative(FOLDER, folder)}/**/*.js`, { cwd: FOLDER })];
    expect(files.length).toBeGreaterThan(TESTED.sources.length);
    expect(files.filter((file) => readFileSync(join(FOLDER, file), 'utf8').includes(ROOT))).toEqual([]);
  });
});
