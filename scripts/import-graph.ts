import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runTool } from './run.ts';

const FOLDERS = ['packages', 'servers', 'testing', 'e2e', 'scripts'];
const OUTPUT = join(ROOT, '.cache', 'imports.json');
const KEY = join(ROOT, '.cache', 'imports-key');
/** Besides the sources: what says where an import leads, and which are allowed. */
const SETTINGS = ['.dependency-cruiser.cjs', 'package-lock.json', 'tsconfig.json', '{packages,servers}/*/package.json'];
const SPECIFIER = /\b(?:from|import|require)\b[\s(]*(['"`])(.+?)\1/g;

/** What dependency-cruiser writes, as far as it is read here. */
type Cruised = {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string; to: string; cycle?: { name: string }[] }[] };
};

export type Imports = {
  /** The imports that break a rule, or null. */
  wrong: string | null;
  /** For each file the files that import it. */
  importers: ReadonlyMap<string, readonly string[]>;
};

/**
 * Checks the import rules (.dependency-cruiser.cjs) and gives the graph of imports they were checked on. `cached`: the
 * last graph is used where no file was added or deleted and no import has changed since.
 */
export async function checkImports({ cached = false } = {}): Promise<Imports> {
  mkdirSync(dirname(OUTPUT), { recursive: true });
  const key = importsKey();
  const isCurrent = cached && existsSync(KEY) && existsSync(OUTPUT) && readFileSync(KEY, 'utf8') === key;
  if (!isCurrent) {
    // dependency-cruiser's own cache saves nothing: it starts again if any file has changed.
    const options = ['--output-type', 'json', '--output-to', OUTPUT];
    rmSync(KEY, { force: true });
    const ran = await runTool('dependency-cruiser/bin/dependency-cruise.mjs', [...FOLDERS, ...options], {
      quiet: true,
    });
    if (ran.code !== 0) return { wrong: ran.output, importers: new Map() };
    // Its other fields name the folder of the checkout, which may be copied.
    writeFileSync(OUTPUT, JSON.stringify(onlyRead(JSON.parse(readFileSync(OUTPUT, 'utf8')) as Cruised)));
    writeFileSync(KEY, key);
  }
  const { modules, summary } = JSON.parse(readFileSync(OUTPUT, 'utf8')) as Cruised;
  const wrong = summary.violations.map(({ rule, from, to, cycle }) =>
    [`${rule.name}: ${from}`, ...(cycle?.map(({ name }) => name) ?? [to])].join(' → '),
  );
  const importers = new Map<string, string[]>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const known = importers.get(resolved);
      if (known) known.push(source);
      else importers.set(resolved, [source]);
    }
  }
  return { wrong: wrong.length === 0 ? null : wrong.join('\n'), importers };
}

function onlyRead({ modules, summary: { violations } }: Cruised): Cruised {
  const graph = modules.map(({ source, dependencies }) => ({
    source,
    dependencies: dependencies.map(({ resolved }) => ({ resolved })),
  }));
  return { modules: graph, summary: { violations } };
}

/** The same as long as the graph is: paths of all sources with what they import. Text that only looks so does no harm. */
function importsKey(): string {
  const hash = createHash('sha256');
  const exclude = ['**/node_modules/**', '**/{dist,build,.svelte-kit}/**'];
  for (const path of globSync(SETTINGS, { cwd: ROOT, exclude }).toSorted()) {
    hash.update(readFileSync(join(ROOT, path)));
  }
  const sources = globSync(`{${FOLDERS.join(',')}}/**/*.{ts,js,mjs,cjs,svelte}`, { cwd: ROOT, exclude });
  for (const path of sources.toSorted()) {
    const specifiers = readFileSync(join(ROOT, path), 'utf8').matchAll(SPECIFIER);
    hash.update(`\n${path}\n${[...specifiers].map(([, , specifier]) => specifier).join('\n')}`);
  }
  return hash.digest('hex');
}

/** The files that import one of these, at any distance, with how many imports lie between; the files themselves have 0. */
export function reachedFrom(files: readonly string[], importers: Imports['importers']): Map<string, number> {
  const reached = new Map(files.map((file) => [file, 0]));
  const queue = [...files];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const distance = (reached.get(file) ?? 0) + 1;
    for (const importer of importers.get(file) ?? []) {
      if (reached.has(importer)) continue;
      reached.set(importer, distance);
      queue.push(importer);
    }
  }
  return reached;
}
