import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { COVERAGE_VARIABLE } from './coverage/record.ts';
import { PUBLISHED } from './packages.ts';
import { ROOT, run } from './run.ts';

/**
 * Programs of the repository with everything they load, in a few files instead of a thousand: they start in half the
 * time and take less memory. Each set stands in a folder of its own, a program under the path of its source.
 */
export type ProgramSet = { name: string; sources: readonly string[] };

/** The command, and what it starts. */
export const COMMAND: ProgramSet = {
  name: 'command',
  sources: ['packages/cli/src/bin.ts', 'servers/date/src/bin.ts'],
};

/** What tests start beside the command. */
export const TESTED: ProgramSet = {
  name: 'tested',
  sources: [
    ...COMMAND.sources,
    'packages/cli/src/main.ts',
    'e2e/conformance/hand-over.ts',
    'e2e/support/dying-server.ts',
    'e2e/support/task-program.ts',
    'packages/mcp-host/src/node/test-fixtures/exiting-owner.ts',
    'packages/mcp-host/src/node/test-fixtures/killed-owner.ts',
    'packages/mcp-host/src/node/test-fixtures/modern-stdio.ts',
    'packages/storage/src/test-fixtures/copying-process.ts',
    'packages/storage/src/test-fixtures/killed-process.ts',
    'packages/storage/src/test-fixtures/store-process.ts',
    'packages/storage/src/test-fixtures/swarm-process.ts',
    'testing/src/scripted-mcp/child.ts',
  ],
};

/** Its owner looks for it beside the file it stands in itself, which is the folder of the set. */
const READER_THREAD = { 'reader-thread': join(ROOT, 'packages/storage/src/reader/reader-thread.ts') };
/** Node takes a file of this package that looks for its own parts only when it runs; this one names them. */
const IN_PARTS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };
/** They change with the lock file only. */
const PACKAGES = /[\\/]node_modules[\\/]/;
/** While coverage is measured, programs have source maps and write what they execute. */
const COVERAGE = process.env[COVERAGE_VARIABLE] !== undefined;
const FLUSH = join(ROOT, 'scripts', 'coverage', 'flush.ts');
/** Where the bundled sets are. */
export const FOLDER = join(ROOT, '.cache', COVERAGE ? 'programs-for-coverage' : 'programs');
/** A process may still load from the folders before. */
const KEPT = 3;

/**
 * The record of a bundled set: its folder, and the size and time of each file it was made of, which is enough and takes a
 * few milliseconds to check. The folder is named relative to `FOLDER`, files relative to the repository: a copied
 * checkout runs its own programs.
 */
type Made = { folder: string; of: [path: string, size: number, changed: number][] };

/** The folder of the set, bundled anew where what it is made of has changed. Rejects with what is wrong with a source. */
export async function bundled(set: ProgramSet): Promise<string> {
  const made = readRecord(set);
  if (made !== null && isCurrent(made)) return join(FOLDER, made.folder);
  // In a process of its own: what the bundler needs, half a gigabyte, would be this one's for as long as it runs.
  const { code, output } = await run(process.execPath, [import.meta.filename, JSON.stringify(set)], { quiet: true });
  const anew = code === 0 ? readRecord(set) : null;
  if (anew === null) throw new Error(output.trimEnd());
  return join(FOLDER, anew.folder);
}

/** Bundles the set into a folder of its own, and then says so. */
async function bundleAnew(set: ProgramSet): Promise<void> {
  const folder = join(FOLDER, `${set.name}-${randomUUID()}`);
  const of = await bundle(set, folder);
  // As a whole, or not at all: several processes may do so at once.
  const aside = `${folder}.json`;
  writeFileSync(aside, JSON.stringify({ folder: basename(folder), of } satisfies Made));
  renameSync(aside, recordOf(set));
  forgetOld(set);
}

function recordOf({ name }: ProgramSet): string {
  return join(FOLDER, `${name}.json`);
}

function readRecord(set: ProgramSet): Made | null {
  const path = recordOf(set);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Made) : null;
}

function isCurrent({ folder, of }: Made): boolean {
  if (!existsSync(join(FOLDER, folder))) return false;
  return of.every(([path, size, changed]) => {
    const now = statSync(join(ROOT, path), { throwIfNoEntry: false });
    return now?.size === size && now.mtimeMs === changed;
  });
}

function lookAt(path: string): Made['of'][number] {
  const { size, mtimeMs } = statSync(path);
  return [relative(ROOT, path), size, mtimeMs];
}

/** Gives the files of ours it is made of, as they were just before they were read. */
async function bundle(set: ProgramSet, folder: string): Promise<Made['of']> {
  // Only here: a start that finds everything as it was does without it.
  const { rolldown } = await import('rolldown');
  const manifests = PUBLISHED.map((path) => join(ROOT, path, 'package.json'));
  const of = [...manifests, join(ROOT, 'package-lock.json'), import.meta.filename].map(lookAt);
  const look = (id: string): null => {
    if (existsSync(id)) of.push(lookAt(id));
    return null;
  };
  const build = await rolldown({
    cwd: ROOT,
    input: { ...READER_THREAD, ...Object.fromEntries(set.sources.map((path) => [withoutEnd(path), join(ROOT, path)])) },
    platform: 'node',
    external: [/^node:/],
    resolve: { conditionNames: ['toolyard-src', 'node', 'default'], mainFields: ['main'], alias: IN_PARTS },
    plugins: [programsBeside(set), { name: 'made-of', load: { filter: { id: { exclude: PACKAGES } }, handler: look } }],
  });
  try {
    await build.write({
      dir: folder,
      format: 'esm',
      chunkFileNames: '[name]-[hash].js',
      keepNames: true,
      // Each start reads them and keeps them: without comments, and where a character takes one byte, that is half as much.
      comments: false,
      charset: 'ascii',
      // Hidden: Node would write the maps into every record.
      ...(COVERAGE && { sourcemap: 'hidden', banner: (chunk) => loadFlush(chunk, folder) }),
    });
    return of;
  } finally {
    await build.close();
  }
}

/** Only what is started: the other chunks are loaded by it. */
function loadFlush({ isEntry, fileName }: { isEntry: boolean; fileName: string }, folder: string): string {
  if (!isEntry) return '';
  const path = relative(dirname(join(folder, fileName)), FLUSH).replaceAll('\\', '/');
  return `import ${JSON.stringify(path)};`;
}

/** A program that is looked up by the name of its package is the one of the same set. */
function programsBeside({ sources }: ProgramSet): Plugin {
  return {
    name: 'programs-beside',
    async transform(code, importer) {
      const name = /import\.meta\.resolve\('([^']+)'\)/.exec(code)?.[1];
      if (name === undefined) return null;
      const found = relative(ROOT, (await this.resolve(name, importer))?.id ?? name);
      if (!sources.includes(found)) return null;
      const beside = `new URL('./${withoutEnd(found)}.js', import.meta.url).href`;
      return { code: code.replace(`import.meta.resolve('${name}')`, beside) };
    },
  };
}

function withoutEnd(path: string): string {
  return path.replace(/\.ts$/, '');
}

function forgetOld({ name }: ProgramSet): void {
  const folders = readdirSync(FOLDER)
    .filter((entry) => entry.startsWith(`${name}-`) && !entry.endsWith('.json'))
    .map((entry) => join(FOLDER, entry))
    // Another process may have taken it away meanwhile.
    .map((path) => ({ path, made: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.made - one.made);
  for (const { path } of folders.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

if (import.meta.main) {
  try {
    await bundleAnew(JSON.parse(process.argv[2] ?? '') as ProgramSet);
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  }
}
