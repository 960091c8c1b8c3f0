import { expect, test } from 'vitest';
import { blockedPath } from './blocked-path.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { dockerIsolation } from './docker-flags.ts';
import type { SandboxEnvironment } from './profile.ts';
import { planSandbox } from './profile.ts';
import { seatbeltProfile } from './seatbelt.ts';

const usr = { path: '/usr', source: '/usr' };
const facts: SandboxEnvironment = {
  home: '/home/ann',
  dataFolders: ['/home/ann/.toolyard'],
  privateHome: '/home/ann/.cache/toolyard/sandbox/1',
  temp: '/tmp',
  system: [usr],
  own: [],
  programs: [{ path: '/home/ann/.nvm/versions', source: '/home/ann/.nvm/versions' }],
  env: { PATH: '/usr/bin', HOME: '/home/ann', HTTPS_PROXY: 'http://proxy', DBUS_SESSION_BUS_ADDRESS: 'x', KEY: 'k' },
  linksOn: () => [],
  resolve: (path) => (path.includes('gone') ? undefined : { path, isFolder: !path.endsWith('.txt') }),
};
const plan = (settings: Parameters<typeof planSandbox>[0]['settings'], cwd?: string) =>
  planSandbox({ serverId: 'files', settings, cwd }, facts);

test('gives a server its own folders and no desktop session', () => {
  const { env, cwd, home, network, write } = plan({});
  expect({ cwd, home, network, write }).toEqual({ cwd: '/tmp', home: facts.privateHome, network: 'on', write: [] });
  expect(env).toMatchObject({ HOME: facts.privateHome, TMPDIR: '/tmp', KEY: 'k', HTTPS_PROXY: 'http://proxy' });
  expect(env).not.toHaveProperty('DBUS_SESSION_BUS_ADDRESS');
  expect(plan({ network: ['a.example'] }).env).not.toHaveProperty('HTTPS_PROXY');
});

test('hides the data folder inside an approved folder, and mounts the private home folder last', () => {
  const profile = plan({ write: ['~'] }, '/work');
  expect(profile.hiddenInside).toEqual(facts.dataFolders);
  const args = bubblewrapArguments(profile, { filtered: true, disablesUserns: true, isRoot: false }).join(' ');
  expect(args).toMatch(
    /--bind \/work \/work --bind \/home\/ann \/home\/ann --tmpfs \/home\/ann\/\.toolyard --bind \S+\/1 \S+\/1 --chdir \/work --$/,
  );
});

test('hides the data folder behind a link to its parent folder', () => {
  const resolve = (path: string) => ({ path: path === '/link' ? '/home/ann' : path, isFolder: true });
  const linked = planSandbox({ serverId: 'files', settings: { read: ['/link'] } }, { ...facts, resolve });
  expect(linked.hiddenInside).toContain('/link/.toolyard');
});

test('does not mount the target of a link that the server itself can change', () => {
  const resolve = (path: string) => ({ path: path === '/proj/data' ? '/home/ann/.ssh' : path, isFolder: true });
  const linksOn = (path: string): string[] => (path === '/proj/data' ? ['/proj/data'] : []);
  const start = (settings: Parameters<typeof planSandbox>[0]['settings']) =>
    planSandbox({ serverId: 'files', settings, cwd: '/proj' }, { ...facts, resolve, linksOn });
  expect(() => start({ read: ['/proj/data'] })).toThrow(
    '"/proj/data" follows the link "/proj/data", which the server itself can change, to "/home/ann/.ssh"',
  );
  expect(start({ read: ['/other'] }).read).toEqual([{ path: '/other', source: '/other' }]);
});

test('does not mount a path inside a writable folder again, because it could be swapped', () => {
  const proj = { path: '/proj', source: '/proj' };
  const profile = plan({ read: ['/proj/data', '/other'], write: ['/proj'] }, '/proj/src');
  expect(profile).toMatchObject({ read: [{ path: '/other' }], write: [proj], cwd: '/proj/src' });
  expect(plan({ write: ['/proj'] }, '/proj').write).toEqual([proj, proj]);
});

test('requires approval for a working folder that contains the home folder', () => {
  for (const cwd of ['~', '/home']) {
    expect(() => plan({}, cwd)).toThrow('which contains your home folder');
    expect(plan({ write: [cwd] }, cwd).write).toHaveLength(2);
  }
});

test('does not mount a program inside the data folder', () => {
  const programs = [{ path: '/x', source: '/home/ann/.toolyard/blobs' }];
  expect(planSandbox({ serverId: 'files', settings: {} }, { ...facts, programs }).programs).toEqual([]);
});

test.each([
  [{ read: ['gone'] }, 'not an absolute path'],
  [{ read: ['/gone'] }, '"sandbox.read" names "/gone", which does not exist'],
  [{ write: ['/'] }, 'the whole file system'],
  [{ write: ['/link/..'] }, 'contains ".."'],
  [{ write: ['/run/user/1000'] }, 'leads out of the sandbox'],
  [{ read: ['/x/docker.sock'] }, 'control over all containers'],
  [{ read: ['~/.toolyard/mcp.json'] }, 'belongs to Toolyard itself'],
])('rejects %j', (settings, problem) => {
  expect(() => plan(settings)).toThrow(problem);
});

test('rejects a working folder that is a file', () => {
  expect(() => plan({}, '/a.txt')).toThrow('"cwd" names "/a.txt", which is not a folder');
});

test('keeps user namespaces for a browser, and gives a limited network its own namespace', () => {
  const features = { filtered: false, disablesUserns: true, isRoot: true };
  const browser = bubblewrapArguments(plan({ profile: 'browser' }), features);
  expect(browser).not.toContain('--disable-userns');
  // Chrome does not start as root.
  expect(browser.join(' ')).toContain('--uid 65534 --gid 65534');
  expect(bubblewrapArguments(plan({}), features)).not.toContain('--uid');
  expect(bubblewrapArguments(plan({}), features)).not.toContain('--unshare-net');
  expect(bubblewrapArguments(plan({ network: 'off' }), features)).toContain('--unshare-net');
  expect(bubblewrapArguments(plan({ network: ['a.example'] }), features)).toContain('--unshare-net');
});

test('writes a Seatbelt profile that denies by default and denies the data folder after allowing approved folders', () => {
  const text = seatbeltProfile(plan({ write: ['/home/ann'], read: ['/say "hi"'] }));
  expect(text).toMatch(/^\(version 1\)\n\(deny default\)\n/);
  const at = (rule: string): number => text.split('\n').indexOf(rule);
  const approved = at('(allow file-read* file-write* (subpath "/home/ann"))');
  const denied = at('(deny file-read* file-write* (subpath "/home/ann/.toolyard"))');
  const own = at(`(allow file-read* file-write* (subpath "${facts.privateHome}"))`);
  expect(approved).toBeGreaterThan(0);
  expect(denied).toBeGreaterThan(approved);
  expect(own).toBeGreaterThan(denied);
  expect(text).toContain('(allow file-read* (subpath "/say \\"hi\\""))');
  expect(text).toContain('(allow network*');
  expect(seatbeltProfile(plan({ network: 'off' }))).not.toContain('network');
  expect(seatbeltProfile(plan({ network: ['a.example'] }), 4000)).toContain('(remote ip "localhost:4000")');
});

test('finds the hidden path in a line of standard error', () => {
  const profile = plan({ read: ['/shared'] });
  const find = (line: string): string | undefined => blockedPath(line, profile, (path) => !path.includes('gone'));
  expect(find("Error: ENOENT: no such file or directory, open '/home/ann/a.json'")).toBe('/home/ann/a.json');
  expect(find("Error: Cannot find module '/home/ann/server.js'")).toBe('/home/ann/server.js');
  expect(find("EROFS: read-only file system, open '/shared/x'")).toBe('/shared/x');
  expect(find("ENOENT: no such file or directory, open '/shared/x'")).toBeUndefined();
  expect(find("ENOENT: no such file or directory, open '/home/ann/gone'")).toBeUndefined();
  expect(find("ENOENT: no such file or directory, open '/tmp/of-the-machine'")).toBe('/tmp/of-the-machine');
  expect(find('listening at /home/ann/a.json')).toBeUndefined();
});

test.each([
  [
    ['run', '-i', '--rm', '-e', 'KEY=secret', '-v', '/data:/data:ro', 'image', 'x'],
    ['-e KEY', '-v /data:/data:ro'],
    false,
  ],
  [['run', '-v', '/var/run/docker.sock:/var/run/docker.sock', 'image'], undefined, true],
  [['run', '--privileged', 'image'], ['--privileged'], true],
  [['run', '--network=host', 'image'], ['--network host'], true],
  [['run', '-v', '/:/host', 'image'], undefined, true],
  [['--config', '/project/evil', 'run', 'image'], ['docker --config'], true],
  [['container', 'run', 'image'], [], false],
  [['mcp', 'gateway', 'run'], ['docker mcp'], true],
])('shows the access that docker %j gives the container', (args, flags, exposed) => {
  const isolation = dockerIsolation({ args });
  expect(isolation.exposed).toBe(exposed);
  if (flags !== undefined) expect(isolation.flags).toEqual(flags);
});
