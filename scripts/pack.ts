import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PAGE, PUBLISHED } from './packages.ts';
import type { Ran } from './run.ts';
import { runFolder } from '../testing/src/test-run.ts';
import { ROOT, run, runNpm } from './run.ts';

/**
 * How the packages that ours depend on get there: `linked` to those of the repository, at a tenth of the cost, or
 * `registry`: as npm installs them.
 */
type Install = 'linked' | 'registry';

/**
 * Packs the published packages, installs the tarballs in an empty folder, and uses them there with the pinned Node and
 * the Node of the machine. Returns the error, or null.
 */
export async function packAndUse(install: Install): Promise<string | null> {
  const folder = mkdtempSync(join(install === 'linked' ? join(ROOT, '.cache') : (runFolder() ?? tmpdir()), 'packed-'));
  try {
    const packed = await packInto(folder);
    if (packed.code !== 0) return `npm pack failed:\n${packed.output}`;
    const wrongPage = checkPackedPage(packed.output);
    if (wrongPage !== null) return wrongPage;
    writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }');
    const uninstalled = await (install === 'linked' ? installLinked(folder) : installFromRegistry(folder));
    if (uninstalled !== null) return `cannot install the tarballs:\n${uninstalled}`;

    const nodes = new Set([process.execPath, process.env['TOOLYARD_SYSTEM_NODE'] ?? process.execPath]);
    for (const node of nodes) {
      const wrong =
        (await useCommand(folder, node)) ?? (await useServer(folder, node)) ?? (await useLibrary(folder, node));
      if (wrong !== null) return `on ${node}: ${wrong}`;
    }
    return await usePage(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a tarball of each published package, as built, into a folder. */
export function packInto(folder: string): Promise<Ran> {
  const workspaces = [...PUBLISHED, PAGE].map((workspace) => `--workspace=${workspace}`);
  return runNpm(['pack', '--silent', '--json', '--pack-destination', folder, ...workspaces], { quiet: true });
}

/** The package of the page has the built files and nothing else. `output`: JSON of npm pack. */
function checkPackedPage(output: string): string | null {
  const packed = JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1)) as PackedPackage[];
  const paths = packed.find(({ name }) => name === '@toolyard/web')?.files.map(({ path }) => path) ?? [];
  const others = paths.filter((path) => !path.startsWith('build/') && path !== 'README.md' && path !== 'package.json');
  if (others.length > 0) return `the package of the page contains ${others.join(', ')}`;
  const missing = PAGE_FILES.find((file) => !paths.some((path) => file.test(path)));
  return missing === undefined ? null : `the package of the page has no ${String(missing)}`;
}

type PackedPackage = { name: string; files: { path: string }[] };
const PAGE_FILES = [/^build\/index\.html$/, /^build\/_app\/immutable\/workers\/tab-network-worker-[\w-]+\.js$/];

function tarballsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.tgz'));
}

async function installFromRegistry(folder: string): Promise<string | null> {
  // Prefer the npm cache, so that a temporary failure of the registry does not fail the test.
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const tarballs = tarballsIn(folder).map((name) => `./${name}`);
  const installed = await runNpm(['install', ...options, ...tarballs], { cwd: folder, quiet: true });
  return installed.code === 0 ? null : installed.output;
}

/**
 * Extracts the tarballs. The folder is in the repository, so that Node finds the packages they depend on there; knip
 * reports those that a package uses and does not declare.
 */
async function installLinked(folder: string): Promise<string | null> {
  for (const tarball of tarballsIn(folder)) {
    const extracted = await run('tar', ['-xzf', tarball], { cwd: folder, quiet: true });
    if (extracted.code !== 0) return extracted.output;
    const manifest = JSON.parse(readFileSync(join(folder, 'package', 'package.json'), 'utf8')) as unknown;
    const { name, bin = {} } = manifest as { name: string; bin?: Record<string, string> };
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    renameSync(join(folder, 'package'), place);
    // As npm does, so that `npx` finds the command.
    const commands = join(folder, 'node_modules', '.bin');
    mkdirSync(commands, { recursive: true });
    for (const [command, file] of Object.entries(bin)) symlinkSync(join(place, file), join(commands, command));
    // Packages of which the repository has several versions.
    const own = join(realpathSync(join(ROOT, 'node_modules', name)), 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(place, 'node_modules'), 'junction');
  }
  return null;
}

async function useCommand(folder: string, node: string): Promise<string | null> {
  const bin = join(folder, 'node_modules', 'toolyard', 'dist', 'bin.js');
  const ran = await run(node, [bin, 'chat', '--model', 'demo', 'What time is it in Tokyo?'], {
    cwd: folder,
    quiet: true,
  });
  return expectOutput('toolyard chat', ran, /Tokyo|\+09:00/);
}

async function useServer(folder: string, node: string): Promise<string | null> {
  const ran = await run(node, [join(folder, 'node_modules', '@toolyard', 'server-date', 'dist', 'bin.js'), '--help'], {
    cwd: folder,
    quiet: true,
  });
  return expectOutput('toolyard-server-date --help', ran, /--http/);
}

/** Opens the page from the packages; the server needs the pinned Node. */
async function usePage(folder: string): Promise<string | null> {
  const bin = join(folder, 'node_modules', 'toolyard', 'dist', 'bin.js');
  const args = [bin, 'serve', '--port', '0', '--data-dir', join(folder, 'data')];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    const url = await new Promise<string | null>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const found = /http:\/\/\S+/.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => resolve(null));
    });
    if (url === null) return `toolyard serve ended with ${String(child.exitCode)} and printed:\n${output}`;
    const html = await (await fetch(url)).text();
    const script = /"(?:\.?)(\/_app\/immutable\/entry\/start[^"]+)"/.exec(html)?.[1];
    const works = script !== undefined && (await fetch(new URL(script, url))).ok;
    return works ? null : `the page of toolyard serve is not the built one:\n${html.slice(0, 500)}`;
  } finally {
    child.kill();
    await ended;
  }
}

/** Runs the programs that the README and the guide show, as printed, outside the repository. */
async function useLibrary(folder: string, node: string): Promise<string | null> {
  for (const document of DOCUMENTS) {
    const file = join(folder, 'agent.mjs');
    writeFileSync(file, programIn(document));
    const wrong = expectOutput(
      `the program of ${document}`,
      await run(node, [file], { cwd: folder, quiet: true }),
      USED,
    );
    if (wrong !== null) return wrong;
  }
  return null;
}

const DOCUMENTS = ['README.md'];
/** The program called the tool, and the answer has its result. */
const USED = /calls get-date[^]*Tokyo/;

function programIn(document: string): string {
  const program = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, document), 'utf8'))?.[1];
  if (program === undefined) throw new Error(`${document} has no program in a ts block`);
  return program;
}

/** Runs the program of the README in the repository, as the README says. Returns the error, or null. */
export async function useInClone(): Promise<string | null> {
  const folder = mkdtempSync(join(ROOT, '.cache', 'program-'));
  try {
    const file = join(folder, 'agent.ts');
    writeFileSync(file, programIn('README.md'));
    return expectOutput('npm run program', await runNpm(['run', '-s', 'program', '--', file], { quiet: true }), USED);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function expectOutput(what: string, { code, output }: Ran, pattern: RegExp): string | null {
  if (code === 0 && pattern.test(output)) return null;
  return `${what} ended with ${code} and printed:\n${output}`;
}
