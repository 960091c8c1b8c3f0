import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { sharedTmp } from '@toolyard/testing';
import { sandboxedCommand } from './sandboxed-command.ts';

let folder = '';
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** The sandboxed command of a launcher for the user with this `home`. */
async function started(launcher: string, env: Record<string, string> = {}) {
  const warnings: string[] = [];
  const command = write(`bin/${launcher}`, '#!/bin/sh\n');
  vi.stubEnv('HOME', join(folder, 'home'));
  // Set by `npm test`.
  for (const name of ['npm_config_userconfig', 'NPM_CONFIG_USERCONFIG']) vi.stubEnv(name, undefined);
  const sandboxed = await sandboxedCommand({
    serverId: 'peer',
    config: { type: 'stdio', command },
    settings: { profile: 'browser' },
    env: { PATH: join(folder, 'bin'), ...env },
    options: { stateFolder: join(folder, 'state') },
    support: { kind: 'bubblewrap', path: '/usr/bin/bwrap', disablesUserns: true },
    onBlockedHost: () => undefined,
    warn: (text) => warnings.push(text),
  });
  return { env: sandboxed?.env ?? {}, args: sandboxed?.args.join(' ') ?? '', warnings };
}

test('npx gets a copy of .npmrc without its secrets, and the certificates it names', async () => {
  folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-launcher-')));
  const cafile = write('corp/ca.pem', 'PEM');
  const npmrc = `registry=https://npm.example/\n//npm.example/:_authToken=canary\ncafile=${cafile}\nproxy=http://a:canary@b\n`;
  write('home/.npmrc', npmrc);
  const { env, args, warnings } = await started('npx');
  const copy = env['NPM_CONFIG_USERCONFIG'] ?? '';
  expect(readFileSync(copy, 'utf8')).toBe(`registry=https://npm.example/\ncafile=${cafile}\n`);
  expect(args).toContain(`--ro-bind ${copy} ${copy}`);
  expect(args).toContain(`--ro-bind ${cafile} ${cafile}`);
  // In a folder the server can write, a link could lead to other files of the user.
  expect(copy.startsWith(`${env['HOME'] ?? ''}/`)).toBe(false);
  expect(warnings).toEqual([expect.stringMatching(/^"proxy" in .*\.npmrc contains credentials and is not passed/)]);
  expect((await started('npx', { NPM_CONFIG_USERCONFIG: '/own' })).env['NPM_CONFIG_USERCONFIG']).toBe('/own');
});

test('uvx gets the Python of PATH, and a browser server the browsers of Playwright', async () => {
  folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-launcher-')));
  const python = write('bin/python3', '');
  const browsers = dirname(write('home/.cache/ms-playwright/x', ''));
  const { env, args } = await started('uvx');
  expect(args).toContain(`--ro-bind ${python} ${python}`);
  expect(args).toContain(`--ro-bind ${browsers} ${browsers}`);
  expect(env['PLAYWRIGHT_BROWSERS_PATH']).toBe(browsers);
  expect((await started('npx')).args).not.toContain(python);
});
