import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { PUBLISHED } from './packages.ts';
import { ROOT, run } from './run.ts';

/**
 * Bundles programs of the repository with their dependencies into a few files instead of a thousand: they start in half
 * the time and use less memory. Each set has its own folder, with programs at the paths of their sources.
 * `threads`: the worker threads they start, by name; default: all of the packages.
 */
export type ProgramSet = {
  name: string;
  sources: readonly string[];
  threads?: Readonly<Record<string, string>>;
};

/** The CLI, and the programs it starts. */
export const COMMAND: ProgramSet = {
  name: 'command',
  sources: ['packages/cli/src/bin.ts', 'servers/date/src/bin.ts'],
};

/** Other programs that tests start. */
export const TESTED: ProgramSet = {
  name: 'tested',
  sources: [
    ...COMMAND.sources,
    'packages/cli/src/main.ts',
    'e2e/conformance/hand-over.ts',
    'e2e/support/server-process.ts',
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

/** Loaded relative to the file of their owner, which is the folder of the set. */
const THREADS = {
  'reader-thread': join(ROOT, 'packages/storage/src/reader/reader-thread.ts'),
  'extract-thread': join(ROOT, 'packages/server/src/built-in/web/extract-thread.ts'),
  'script-thread': join(ROOT, 'packages/agent-host/src/node/script-thread.ts'),
};
/** Its default entry loads its files dynamically, which cannot be bundled; this entry imports them. */
const IN_PARTS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };
/** They change with the lock file only. */
const PACKAGES = /[\\/]node_modules[\\/]/;
/** Where the bundled sets are. */
export const FOLDER = join(ROOT, '.cache', 'programs');
/** A process may still load from the folders before. */
const KEPT = 3;

/**
 * The record of a bundled set: its folder, and size and modification time of its sources, which take a few milliseconds
 * to check. Paths are relative to `FOLDER` and to the repository, so that a copied checkout runs its own programs.
 */
type BundleRecord = { folder: string; of: [path: string, size: number, changed: number][] };

/** The folder of the set, bundled again if its sources have changed. @throws Error with the syntax errors of the sources */
export async function bundled(set: ProgramSet): Promise<string> {
  const made = readRecord(set);
  if (made !== null && isCurrent(made)) return join(FOLDER, made.folder);
  // In a separate process, because the bundler needs half a gigabyte of memory.
  const { code, output } = await run(process.execPath, [import.meta.filename, JSON.stringify(set)], { quiet: true });
  const newRecord = code === 0 ? readRecord(set) : null;
  if (newRecord === null) throw new Error(output.trimEnd());
  return join(FOLDER, newRecord.folder);
}

/** Bundles the set into a new folder, then writes its record. */
async function rebuild(set: ProgramSet): Promise<void> {
  const folder = join(FOLDER, `${set.name}-${randomUUID()}`);
  const of = await bundle(set, folder);
  // Atomic rename, because several processes may bundle at once.
  const aside = `${folder}.json`;
  writeFileSync(aside, JSON.stringify({ folder: basename(folder), of } satisfies BundleRecord));
  renameSync(aside, getRecordFile(set));
  removeOld(set);
}

function getRecordFile({ name }: ProgramSet): string {
  return join(FOLDER, `${name}.json`);
}

function readRecord(set: ProgramSet): BundleRecord | null {
  const path = getRecordFile(set);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as BundleRecord) : null;
}

function isCurrent({ folder, of }: BundleRecord): boolean {
  if (!existsSync(join(FOLDER, folder))) return false;
  return of.every(([path, size, changed]) => {
    const now = statSync(join(ROOT, path), { throwIfNoEntry: false });
    return now?.size === size && now.mtimeMs === changed;
  });
}

function readState(path: string): BundleRecord['of'][number] {
  const { size, mtimeMs } = statSync(path);
  return [relative(ROOT, path), size, mtimeMs];
}

/** Returns the sources of the bundle, with their state just before they were read. */
async function bundle(set: ProgramSet, folder: string): Promise<BundleRecord['of']> {
  // Imported here, because a start with a current bundle does not need it.
  const { rolldown } = await import('rolldown');
  const manifests = PUBLISHED.map((path) => join(ROOT, path, 'package.json'));
  const of = [...manifests, join(ROOT, 'package-lock.json'), import.meta.filename].map(readState);
  const look = (id: string): null => {
    if (existsSync(id)) of.push(readState(id));
    return null;
  };
  const build = await rolldown({
    cwd: ROOT,
    input: {
      ...(set.threads ?? THREADS),
      ...Object.fromEntries(set.sources.map((path) => [withoutEnd(path), join(ROOT, path)])),
    },
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
      // Without comments and with ASCII only (one byte per character), the files take half the memory.
      comments: false,
      charset: 'ascii',
    });
    return of;
  } finally {
    await build.close();
  }
}

/** Resolves a program by package name to the one in the same set. */
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

function removeOld({ name }: ProgramSet): void {
  const folders = readdirSync(FOLDER)
    .filter((entry) => entry.startsWith(`${name}-`) && !entry.endsWith('.json'))
    .map((entry) => join(FOLDER, entry))
    // Another process may have removed it.
    .map((path) => ({ path, made: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.made - one.made);
  for (const { path } of folders.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

if (import.meta.main) {
  try {
    await rebuild(JSON.parse(process.argv[2] ?? '') as ProgramSet);
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  }
}
