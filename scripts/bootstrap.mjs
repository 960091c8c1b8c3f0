// The only file that runs on whatever Node a machine has (20 or newer). It installs what is missing, then hands over
// to the Node the project pins. Plain JavaScript without dependencies, because nothing may be installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampPath = join(root, 'node_modules', '.toolyard-installed');
const OLDEST_NODE = 20;
const PINNED_NODE = 24;

const TASKS = {
  start: ['scripts/start.ts'],
  toolyard: ['scripts/toolyard.ts'],
  test: ['scripts/test.ts'],
  'test:watch': ['scripts/test-watch.ts'],
  'test:long': ['scripts/test-long.ts'],
  check: ['scripts/check.ts'],
  lint: ['scripts/lint.ts'],
  format: ['scripts/format.ts'],
  bench: ['scripts/bench.ts'],
  peers: ['bench/peers/main.ts'],
  torture: ['e2e/torture/main.ts'],
  endure: ['e2e/endurance/main.ts'],
  fuzz: ['scripts/fuzz.ts'],
  coverage: ['scripts/coverage.ts'],
  faults: ['scripts/faults.ts'],
  'record-runs': ['packages/server/src/runs/test-fixtures/corpus/main.ts'],
  'record-schemas': ['packages/storage/src/test-fixtures/kept/main.ts'],
  conformance: ['scripts/conformance.ts'],
};

function say(text) {
  process.stderr.write(`toolyard: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return;

  const fresh = !existsSync(join(root, 'node_modules'));
  say(fresh ? 'first start: installing packages (about half a minute) ...' : 'packages have changed: installing ...');
  const npmCli = process.env.npm_execpath;
  const args = [fresh ? 'ci' : 'install', '--no-audit', '--no-fund', '--loglevel=error', '--progress=true'];
  // stdout belongs to the task; what npm says goes to stderr.
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const result =
    npmCli && /npm-cli\.[cm]?js$/.test(npmCli)
      ? spawnSync(process.execPath, [npmCli, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status !== 0) {
    fail('the packages could not be installed; the lines above say why. Is the npm registry reachable?');
  }
  writeFileSync(stampPath, stamp);
  say('installed.');
}

function pinnedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(root, 'node_modules', 'node', 'bin', name);
  if (existsSync(path)) return path;
  if (Number(process.versions.node.split('.')[0]) >= PINNED_NODE) return process.execPath;
  return fail(
    `Node ${PINNED_NODE} is missing: the install script of the package "node" did not run. ` +
      `Run "npm rebuild node", or start with Node ${PINNED_NODE}.`,
  );
}

function run(task, rest) {
  const [entry, ...args] = TASKS[task];
  const child = spawn(
    pinnedNode(),
    ['--conditions=toolyard-src', '--disable-warning=ExperimentalWarning', join(root, entry), ...args, ...rest],
    // npm moves to the root; a path the person gave is meant from where they stand.
    {
      stdio: 'inherit',
      cwd: process.env.INIT_CWD ?? process.cwd(),
      env: { ...process.env, TOOLYARD_SYSTEM_NODE: process.execPath },
    },
  );
  // A terminal sends Ctrl-C to both; the child decides what it means.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${task} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

const [task, ...rest] = process.argv.slice(2);
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`Node ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`);
}
if (!Object.hasOwn(TASKS, task)) fail(`there is no task "${task}"; there are ${Object.keys(TASKS).join(', ')}.`);
install();
run(task, rest);
