import { findCycles } from './imports/cycles.ts';
import { readImportGraph } from './imports/graph.ts';
import { IMPORT_RULES } from './imports/rules.ts';
import { ROOT } from './run.ts';

export type Imports = {
  /** The imports that break a rule, or null. */
  wrong: string | null;
  /** For each file the files that import it. */
  importers: ReadonlyMap<string, readonly string[]>;
};

/** Checks the import rules. Returns violations and the import graph. */
export function checkImports(root = ROOT): Imports {
  const imports = readImportGraph(root);
  const broken = imports.flatMap((found) =>
    IMPORT_RULES.filter(({ breaks }) => breaks(found)).map(({ name }) => `${name}: ${found.from} → ${found.to}`),
  );
  // A recursive component imports itself, as Svelte documents it.
  const files = imports.filter(({ kind, from, to }) => kind === 'file' && (from !== to || !from.endsWith('.svelte')));
  const targets = groupBy(files, ({ from, to }) => [from, to]);
  const cycles = findCycles(targets).map((cycle) => `no-circular: ${cycle.join(' → ')}`);
  const wrong = [...broken, ...cycles];
  return {
    wrong: wrong.length === 0 ? null : wrong.join('\n'),
    importers: groupBy(files, ({ from, to }) => [to, from]),
  };
}

function groupBy<T>(items: readonly T[], entryOf: (item: T) => [key: string, value: string]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, value] of items.map(entryOf)) {
    const known = groups.get(key);
    if (known) known.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** The direct and indirect importers of these files with their distance; the files themselves have 0. */
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
