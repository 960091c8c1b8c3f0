import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
  const folder = mkdtempSync(join(runFolder() ?? tmpdir(), 'toolyard-pack-'));
  try {
    const packed = await packInto(folder);
    if (packed.code !== 0) return `npm pack failed:\n${packed.output}`;
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
  return runNpm(['pack', '--silent', '--pack-destination', folder, ...workspaces], { quiet: true });
}

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

/** Extracts the tarballs, and links exactly the packages that they declare; their own come with them. */
async function installLinked(folder: string): Promise<string | null> {
  const packed = new Map<string, Record<string, string>>();
  for (const tarball of tarballsIn(folder)) {
    const extracted = await run('tar', ['-xzf', tarball], { cwd: folder, quiet: true });
    if (extracted.code !== 0) return extracted.output;
    const { name, dependencies, bin } = readPackage(join(folder, 'package'));
    packed.set(name, dependencies);
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    renameSync(join(folder, 'package'), place);
    for (const [command, file] of Object.entries(bin)) linkCommand(folder, command, join(place, file));
  }
  const wrong = [...packed].flatMap(([name, dependencies]) =>
    Object.entries(dependencies)
      .filter(([dependency]) => !packed.has(dependency))
      .flatMap(([dependency, version]) => link(folder, name, dependency, version) ?? []),
  );
  return wrong.length === 0 ? null : wrong.join('\n');
}

/** As npm does, so that `npx` finds the command. */
function linkCommand(folder: string, command: string, file: string): void {
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands, { recursive: true });
  chmodSync(file, 0o755);
  symlinkSync(file, join(commands, command));
}

/** Links a dependency where only this package of ours finds it. */
function link(folder: string, name: string, dependency: string, version: string): string | null {
  const workspace = [...PUBLISHED, PAGE].find((each) => readPackage(join(ROOT, each)).name === name) ?? '.';
  const own = join(ROOT, workspace, 'node_modules', dependency);
  const target = existsSync(own) ? own : join(ROOT, 'node_modules', dependency);
  if (!existsSync(target)) return `${name} depends on ${dependency}, which is not installed`;
  const installed = readPackage(target).version;
  if (!isInRange(installed, version))
    return `${name} depends on ${dependency} ${version}, but ${installed} is installed`;
  const place = join(folder, 'node_modules', name, 'node_modules', dependency);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place, 'junction');
  return null;
}

/** Our packages declare exact versions, or `^` of one. */
function isInRange(version: string, range: string): boolean {
  if (!range.startsWith('^')) return version === range;
  const [major] = range.slice(1).split('.');
  return version.split('.')[0] === major;
}

type Package = { name: string; version: string; dependencies: Record<string, string>; bin: Record<string, string> };

function readPackage(folder: string): Package {
  const read = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Pick<Package, 'name' | 'version'> &
    Partial<Package>;
  return { ...read, dependencies: read.dependencies ?? {}, bin: read.bin ?? {} };
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
