import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  test('is bundled once per state of its sources, and an error keeps the previous bundle', async () => {
    write("export const text: string = 'one';");
    // By several processes at once.
    const [first = '', other = ''] = await Promise.all([1, 2].map(() => bundled(set)));
    expect([run(first), run(other)]).toEqual(['one\n', 'one\n']);
    expect([first, other]).toContain(await bundled(set));
    write('export const text: string = ;');
    await expect(bundled(set)).rejects.toThrow('text.ts');
    // A process of the older one may still load files from it.
    expect(run(first)).toBe('one\n');
    write("export const text: string = 'the second';");
    const second = await bundled(set);
    expect(run(second)).toBe('the second\n');
    rmSync(second, { recursive: true });
    expect(run(await bundled(set))).toBe('the second\n');
    // Two of the first state, one of the second; the removed one was replaced.
    write("export const text: string = 'the third';");
    expect(run(await bundled(set))).toBe('the third\n');
    expect(folders()).toHaveLength(3);
  });

  test('contains no absolute paths, so that a copied checkout runs its own', async () => {
    const folder = await bundled(TESTED);
    const files = [`${TESTED.name}.json`, ...globSync(`${relative(FOLDER, folder)}/**/*.js`, { cwd: FOLDER })];
    expect(files.length).toBeGreaterThan(TESTED.sources.length);
    expect(files.filter((file) => readFileSync(join(FOLDER, file), 'utf8').includes(ROOT))).toEqual([]);
  });
});
