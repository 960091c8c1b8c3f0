// Installs the npm packages a task needs. Runs before anything is installed, on the Node of the machine (20 or newer):
// plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs missing packages: those that Toolyard runs on and is built with, and with `forDevelopment` those of tests and
 * lint. Returns false if npm failed, after npm has printed the error.
 */
export function ensureInstalled({ root, forDevelopment, say }) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  // An update without development packages would remove those that an earlier task installed.
  const everything = forDevelopment || Object.values(installed ?? {}).some(({ dev }) => dev === true);
  if (installed !== null && isComplete(locked, installed, everything)) return true;

  const what = everything ? 'all packages, with those of tests and lint' : 'the packages Toolyard runs on';
  say(`${installed === null ? 'installing' : 'adding or updating'} ${what} ...`);
  const args = [
    // "ci" deletes node_modules first; "install" adds to it, and --no-save keeps the lock file unchanged.
    ...(installed === null ? ['ci'] : ['install', '--no-save']),
    // No package needs its install script, see docs/decisions/build-and-tests.md.
    '--ignore-scripts',
    everything ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // Versions are locked, so cached packages need no request, unless the cache is older than a version.
  const done = npm(root, [...args, '--prefer-offline']) || npm(root, [...args, '--prefer-online']);
  if (done) say('packages installed.');
  return done;
}

/** The path of the Node that the lock file pins for this platform; null if it pins none, or it is not installed. */
export function pinnedNode(root) {
  const [path, found] = pinnedPackage(packagesOf(join(root, 'package-lock.json'))) ?? [];
  if (path === undefined) return null;
  const program = join(root, path, found.bin.node);
  return existsSync(program) ? program : null;
}

/** The packages of a lock file by path; null if it is missing or incomplete. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

/**
 * Whether every package of the lock file is installed in its version. npm writes `node_modules/.package-lock.json` only
 * after a complete installation.
 */
function isComplete(locked, installed, everything) {
  const pinned = pinnedPackage(locked)?.[0];
  return Object.entries(locked).every(([path, expected]) => {
    // Folders of workspaces; their links are checked instead.
    if (!path.includes('node_modules/') || (expected.dev && !everything)) return true;
    const present = installed[path];
    // npm skips optional packages of other platforms.
    if (present === undefined) return path !== pinned && (expected.optional || expected.devOptional) === true;
    const keys = expected.link ? ['resolved'] : ['version', 'integrity'];
    return keys.every((key) => present[key] === expected[key]);
  });
}

/** The package with the Node of this platform. Only such packages have a program named `node`. */
function pinnedPackage(locked) {
  // npm writes a single name as a string, several as a list.
  const names = (value, name) => [value].flat().includes(name);
  return Object.entries(locked).find(
    ([, { bin, os, cpu }]) => bin?.node && names(os, process.platform) && names(cpu, process.arch),
  );
}

function npm(root, args) {
  const cli = process.env.npm_execpath;
  // stdout is for the task.
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const { status } =
    cli && /npm-cli\.[cm]?js$/.test(cli)
      ? spawnSync(process.execPath, [cli, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  return status === 0;
}
