import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { needs, UNIX } from '../testing/src/needs.ts';
import { PAGE } from './packages.ts';
import { ROOT } from './run.ts';

/** Files that other tools write there. */
const TOOLS = ['.svelte-kit/', 'node_modules/'];

it('the package of the page has no scripts of an installation and no dependencies', () => {
  const manifest = readFileSync(join(ROOT, PAGE, 'package.json'), 'utf8');
  const { scripts, dependencies } = JSON.parse(manifest) as Record<string, object>;
  expect(Object.keys(scripts ?? {}).filter((name) => /install|prepare/.test(name))).toEqual([]);
  expect(dependencies).toBeUndefined();
});

it('the build of the page writes to one ignored folder', () => {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '--', '.'];
  const { stdout } = spawnSync('git', args, { cwd: join(ROOT, PAGE), encoding: 'utf8' });
  expect(stdout.match(/.+/g)?.filter((path) => !TOOLS.includes(path))).toEqual(['build/']);
  expect(existsSync(join(ROOT, PAGE, 'build', 'index.html'))).toBe(true);
});

it('CI runs npm test and accepts no skipped test of the page', needs(UNIX), () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Replaces npm, and a program that CI would install if missing.
  for (const name of ['npm', 'bwrap']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*, required: $TOOLYARD_REQUIRED"\n`, {
      mode: 0o755,
    });
  }
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  const { stdout } = spawnSync(join(ROOT, '.ci', 'run'), { env, encoding: 'utf8' });
  expect(stdout).toMatch(/^npm test, required: .*\bbrowser\b.*\n$/);
});
