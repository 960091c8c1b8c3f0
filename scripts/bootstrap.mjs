// Runs on the Node of the machine (20 or newer): installs the packages of a task, then starts it with the pinned Node.
// Plain JavaScript without dependencies, because nothing may be installed yet.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, pinnedNode } from './installation.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const OLDEST_NODE = 20;
const PINNED_NODE = 24;
const ownMajor = Number(process.versions.node.split('.')[0]);

const TASKS = {
  start: ['scripts/start.ts'],
  toolyard: ['scripts/toolyard.ts'],
  /** Its first argument is the program of a user, which may import our packages without a build. */
  program: [],
  pack: ['scripts/pack-packages.ts'],
  test: ['scripts/test.ts'],
  'test:long': ['scripts/test-long.ts'],
  build: ['scripts/build.ts'],
  lint: ['scripts/lint.ts'],
  format: ['scripts/format.ts'],
  bench: ['scripts/bench.ts'],
  docs: ['scripts/docs-reference.ts'],
};
/** Parts of a task that are programs of their own, named by its first argument: `npm run bench -- peers`. */
const PARTS = {
  'test:long': {
    torture: ['e2e/faults/main.ts'],
    endurance: ['e2e/endurance/main.ts'],
    fuzz: ['scripts/fuzz.ts'],
    conformance: ['scripts/test-long.ts', 'e2e/conformance'],
  },
  bench: { peers: ['bench/peers/main.ts'], figures: ['scripts/bench-figures.ts'] },
  docs: { screenshots: ['e2e/screenshots/main.ts'] },
};
/** Tasks that need no development packages. */
const USES = ['start', 'toolyard', 'program'];

function say(text) {
  process.stderr.write(`toolyard: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function nodeForTasks() {
  const pinned = pinnedNode(root);
  if (pinned !== null) return pinned;
  if (ownMajor >= PINNED_NODE) return process.execPath;
  return fail(
    `Node ${PINNED_NODE} or newer is required on ${process.platform}-${process.arch}, for which package-lock.json ` +
      `pins no Node (this is ${process.versions.node}). Install it from https://nodejs.org and repeat the command.`,
  );
}

/**
 * The Node of the machine. npm puts `node_modules/.bin` first on the PATH of a script: once the packages are installed, the
 * Node that runs this file is the pinned one.
 */
function systemNode() {
  return process.env.npm_node_execpath ?? process.execPath;
}

function run(task, args) {
  // npm changes to the root; paths in arguments are relative to the folder of the user.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const [first = '', ...others] = args;
  const isPart = Object.hasOwn(PARTS[task] ?? {}, first);
  const entry = (isPart ? PARTS[task][first] : TASKS[task]).map((file) => join(root, file));
  const rest = isPart ? others : args;
  const node = nodeForTasks();
  const child = spawn(node, ['--conditions=toolyard-src', '--disable-warning=ExperimentalWarning', ...entry, ...rest], {
    stdio: 'inherit',
    cwd,
    env: { ...process.env, TOOLYARD_SYSTEM_NODE: systemNode() },
  });
  // A terminal sends Ctrl-C to both processes; the child handles it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Cannot start "${task}" with ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

const [task, ...rest] = process.argv.slice(2);
if (ownMajor < OLDEST_NODE) fail(`Node ${OLDEST_NODE} or newer is required; this is ${process.versions.node}.`);
if (!Object.hasOwn(TASKS, task)) fail(`Unknown task "${task}". Tasks: ${Object.keys(TASKS).join(', ')}.`);
if (task === 'program' && rest.length === 0) fail('Name the program: npm run -s program -- agent.ts');
if (!ensureInstalled({ root, forDevelopment: !USES.includes(task), say })) {
  fail('npm could not install the packages; see the error above. Check that the npm registry is reachable.');
}
run(task, rest);
