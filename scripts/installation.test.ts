import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureInstalled, pinnedNode } from './installation.mjs';
import { PAGE } from './packages.ts';
import { ROOT } from './run.ts';

type Locked = {
  version?: string;
  integrity?: string;
  dev?: boolean;
  link?: boolean;
  inBundle?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  os?: string;
  cpu?: string;
  bin?: Record<string, string>;
};

const NPM = join(import.meta.dirname, 'test-fixtures', 'npm-cli.cjs');
const parent = mkdtempSync(join(tmpdir(), 'toolyard-installation-'));
let root = parent;

const PACKAGES: Record<string, Locked> = {
  '': {},
  'packages/ours': { version: '0.1.0' },
  'node_modules/ours': { link: true },
  'node_modules/used': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/tested': { version: '1.0.0', integrity: 'sha512-two', dev: true },
  'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-three', optional: true, os: 'plan9' },
  'node_modules/node-here': {
    version: '24.0.0',
    integrity: 'sha512-four',
    optional: true,
    os: process.platform,
    cpu: process.arch,
    bin: { node: 'bin/node' },
  },
};

beforeEach(() => {
  root = mkdtempSync(join(parent, 'checkout-'));
  vi.stubEnv('npm_execpath', NPM);
  lock(PACKAGES);
});

afterAll(() => rmSync(parent, { recursive: true }));

function lock(packages: Record<string, Locked>): void {
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
}

/** Writes the file that npm writes after an installation. */
function install(packages: Record<string, Locked>): void {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
}

/** Arguments of npm when a task is prepared; empty if nothing was missing. */
function preparing(task: 'use' | 'development'): string[] {
  const calls = join(root, 'npm-calls');
  rmSync(calls, { force: true });
  ensureInstalled({ root, forDevelopment: task === 'development', say: () => undefined });
  return existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
}

describe('installation of packages', () => {
  it('leaves out development packages until a task needs them, and installs each once', () => {
    expect(preparing('use')).toEqual([expect.stringMatching(/^ci --ignore-scripts --omit=dev /)]);
    expect(preparing('use')).toEqual([]);
    expect(preparing('development')).toEqual([
      expect.stringMatching(/^install --no-save --ignore-scripts --include=dev /),
    ]);
    expect(preparing('development')).toEqual([]);
    expect(preparing('use')).toEqual([]);
  });

  it('installs nothing after "npm ci"', () => {
    const { '': _, 'node_modules/elsewhere': __, ...installed } = PACKAGES;
    install(installed);
    expect(preparing('use')).toEqual([]);
    expect(preparing('development')).toEqual([]);
  });

  it.each([
    ['a package has another version', { 'node_modules/used': { version: '1.0.1', integrity: 'sha512-five' } }],
    ['a package has another hash', { 'node_modules/used': { version: '1.0.0', integrity: 'sha512-five' } }],
    ['a package is new', { 'node_modules/new': { version: '1.0.0', integrity: 'sha512-five' } }],
  ])('updates if %s, and keeps installed development packages', (_, change) => {
    preparing('development');
    lock({ ...PACKAGES, ...change });
    expect(preparing('use')).toEqual([expect.stringMatching(/^install .*--include=dev /)]);
    expect(preparing('use')).toEqual([]);
  });

  it('reinstalls if npm was interrupted', () => {
    mkdirSync(join(root, 'node_modules'));
    expect(preparing('use')).toEqual([expect.stringMatching(/^ci /)]);
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{"packages": {');
    expect(preparing('use')).toEqual([expect.stringMatching(/^ci /)]);
  });

  it('adds the Node of this platform to packages installed on another one', () => {
    const { '': _, 'node_modules/node-here': __, ...installed } = PACKAGES;
    install(installed);
    expect(preparing('use')).toHaveLength(1);
    expect(preparing('use')).toEqual([]);
  });

  it('asks the registry if the cache of npm is older than a version', () => {
    writeFileSync(join(root, 'stale-cache'), '');
    expect(preparing('use')).toEqual([
      expect.stringContaining('--prefer-offline'),
      expect.stringContaining('--prefer-online'),
    ]);
    expect(preparing('use')).toEqual([]);
  });

  it('finds the pinned Node of this platform', () => {
    expect(pinnedNode(root)).toBeNull();
    const node = join(root, 'node_modules', 'node-here', 'bin', 'node');
    mkdirSync(join(node, '..'), { recursive: true });
    writeFileSync(node, '');
    expect(pinnedNode(root)).toBe(node);
    lock({ ...PACKAGES, 'node_modules/node-here': { ...PACKAGES['node_modules/node-here'], cpu: 'other' } });
    expect(pinnedNode(root)).toBeNull();
  });

  it('does not start a task without its packages, and says why', () => {
    mkdirSync(join(root, 'scripts'));
    for (const name of ['bootstrap.mjs', 'installation.mjs']) {
      copyFileSync(join(import.meta.dirname, name), join(root, 'scripts', name));
    }
    writeFileSync(join(root, 'scripts', 'start.ts'), 'console.log(process.argv.slice(2).join());');
    const start = (): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), 'start', '--port', '0'], {
        encoding: 'utf8',
      });
    writeFileSync(join(root, 'no-registry'), '');
    const failed = start();
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toContain('npm could not install the packages');
    rmSync(join(root, 'no-registry'));
    expect(start()).toMatchObject({ status: 0, stdout: '--port,0\n' });
  });
});

/** Packages that the build of the page does not need. */
const FOR_CHECKS = /^(@toolyard\/.+|svelte-check)$/;

it('"npm start" installs the build packages of the page in its versions', () => {
  const manifest = (folder: string): { dependencies?: object; devDependencies?: object } =>
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as object;
  const built = Object.entries(manifest(PAGE).devDependencies ?? {}).filter(([name]) => !FOR_CHECKS.test(name));
  expect(built.length).toBeGreaterThan(10);
  expect(manifest('.').dependencies).toMatchObject(Object.fromEntries(built));
});

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const installable = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && link !== true && inBundle !== true,
  );

  it('has a hash of every package', () => {
    expect(installable.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  it('pins Node 24 for its platforms without an install script', () => {
    const pinned = installable.filter(([, { bin }]) => bin?.['node'] !== undefined);
    expect(pinned.map(([, { os, cpu }]) => `${os ?? ''}-${cpu ?? ''}`).toSorted()).toEqual([
      'darwin-x64',
      'linux-arm64',
      'linux-x64',
      'win32-x64',
    ]);
    expect(pinned.filter(([, { version = '' }]) => !version.startsWith('24.'))).toEqual([]);
  });

  it('has no install scripts in packages of "npm start", and npm runs none', () => {
    expect(installable.filter(([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true)).toEqual(
      [],
    );
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true');
  });
});
