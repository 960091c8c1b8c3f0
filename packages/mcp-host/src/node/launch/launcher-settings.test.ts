import { expect, test } from 'vitest';
import { launcherSettings } from './launcher-settings.ts';

const settings = (launcher: string, files: Readonly<Record<string, string>>, env = {}) =>
  launcherSettings(launcher, '/home/ann', env, (path) => files[path]);

test('passes registry, proxy and certificates of .npmrc, but no tokens or user folders', () => {
  const text = [
    '; of the company',
    'registry=https://npm.example/',
    '@ours:registry = https://ours.example/',
    'https-proxy=http://ann:hunter2@proxy.example:8080',
    'cafile="/etc/corp/ca.pem"',
    '//npm.example/:_authToken=npm_secret',
    '_password=hunter2',
    'prefix=/home/ann/.npm-global',
    'cache=/home/ann/.npm',
  ].join('\n');
  const found = settings('npx', { '/home/ann/.npmrc': text });
  expect(found).toEqual({
    variable: 'NPM_CONFIG_USERCONFIG',
    name: 'npmrc',
    text: 'registry=https://npm.example/\n@ours:registry = https://ours.example/\ncafile="/etc/corp/ca.pem"\n',
    certificates: ['/etc/corp/ca.pem'],
    withheld: ['https-proxy'],
    source: '/home/ann/.npmrc',
  });
});

test('passes indexes of uv.toml; one with a password is withheld, also inside a list', () => {
  const text = [
    'index-url = "https://pypi.example/simple"',
    'extra-index-url = [',
    '  "https://one.example/simple",',
    '  "https://ann:hunter2@two.example/simple",',
    ']',
    'cache-dir = "/home/ann/cache"',
    'publish-url = "https://x.example"',
    '[[index]]',
    'name = "corp"',
    'url = "https://ann:hunter2@three.example/simple"',
  ].join('\n');
  const found = settings('uvx', { '/home/ann/.config/uv/uv.toml': text });
  expect(settings('uv', { '/home/ann/.config/uv/uv.toml': text })).toEqual(found);
  expect(found?.text.split('\n')).toEqual([
    'index-url = "https://pypi.example/simple"',
    'extra-index-url = [',
    '  "https://one.example/simple",',
    ']',
    '[[index]]',
    'name = "corp"',
    '',
  ]);
  expect(found?.withheld).toEqual(['extra-index-url', 'url']);
});

test("passes the machine's pip.conf to pipx, or the one a variable names", () => {
  const machine = '[global]\ncert = /etc/corp/ca.pem\nindex-url = https://pypi.example/simple\nuser = true\n';
  const files = { '/etc/pip.conf': machine, '/x/pip.conf': '[global]\nproxy = http://proxy.example:80\n' };
  expect(settings('pipx', files)).toMatchObject({
    text: '[global]\ncert = /etc/corp/ca.pem\nindex-url = https://pypi.example/simple\n',
    certificates: ['/etc/corp/ca.pem'],
  });
  expect(settings('pipx', files, { PIP_CONFIG_FILE: '/x/pip.conf' })?.source).toBe('/x/pip.conf');
});

test('passes nothing to other commands, and nothing without such a file', () => {
  expect(settings('docker', { '/home/ann/.npmrc': 'registry=x' })).toBeUndefined();
  expect(settings('npx', {})).toBeUndefined();
});
