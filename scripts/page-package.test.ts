import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PAGE } from './packages.ts';
import { ROOT, runNpm } from './run.ts';

type Packed = { files: { path: string }[] };

it('the package of the page holds what was built, and nothing is run or fetched to install it', async () => {
  const cwd = join(ROOT, PAGE);
  const { output } = await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd, quiet: true });
  const [packed] = JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1)) as Packed[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths).toContain('build/index.html');
  expect(paths.some((path) => /^build\/_app\/immutable\/workers\/tab-network-worker-[\w-]+\.js$/.test(path))).toBe(
    true,
  );
  expect(paths.filter((path) => !path.startsWith('build/'))).toEqual(['package.json']);
  const { scripts, dependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as Record<
    string,
    object
  >;
  expect(Object.keys(scripts ?? {}).filter((name) => /install|prepare/.test(name))).toEqual([]);
  expect(dependencies).toBeUndefined();
});

it('the page is built into a folder of its own, which is not kept', () => {
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain(`${PAGE}/build/`);
  expect(existsSync(join(ROOT, PAGE, 'build', 'index.html'))).toBe(true);
});

it('what CI runs checks the page, builds it from its sources, and packs it', () => {
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toMatch(/^[^#]*\bnpm test$/m);
  const checks = readFileSync(join(ROOT, 'scripts', 'test.ts'), 'utf8');
  const names = [...checks.matchAll(/name: '([^']+)'/g)].map(([, name]) => name);
  for (const name of ['page: types', 'lint', 'page: build', 'tests', 'packed, installed elsewhere and used']) {
    expect(names).toContain(name);
  }
});
