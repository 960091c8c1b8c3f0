import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runTool } from './run.ts';

const FOLDERS = ['packages', 'servers', 'testing', 'e2e', 'scripts'];
const OUTPUT = join(ROOT, '.cache', 'imports.json');

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

/** Checks the import rules (.dependency-cruiser.cjs) and gives the graph of imports they were checked on. */
export async function checkImports(): Promise<Imports> {
  mkdirSync(dirname(OUTPUT), { recursive: true });
  // Its own cache saves nothing: 16 s of processor time with it and without.
  const options = ['--output-type', 'json', '--output-to', OUTPUT];
  const ran = await runTool('dependency-cruiser/bin/dependency-cruise.mjs', [...FOLDERS, ...options], { quiet: true });
  if (ran.code !== 0) return { wrong: ran.output, importers: new Map() };
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
