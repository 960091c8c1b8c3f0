/** One shortest cycle per group of files that import each other; starts and ends with the same file. */
export function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const explained = new Set<string>();
  for (const file of withoutEnds(targets)) {
    if (explained.has(file)) continue;
    const cycle = shortestPath(file, file, targets);
    if (cycle === null) continue;
    for (const one of cycle) explained.add(one);
    cycles.push(cycle);
  }
  return cycles;
}

/** Repeatedly removes files without imports; the rest is on a cycle or leads to one. */
function withoutEnds(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const counts = new Map([...targets].map(([file, to]) => [file, new Set(to.filter((one) => targets.has(one))).size]));
  const importers = new Map<string, Set<string>>();
  for (const [file, to] of targets) {
    for (const one of to) importers.set(one, (importers.get(one) ?? new Set()).add(file));
  }
  const ends = [...counts].filter(([, count]) => count === 0).map(([file]) => file);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    counts.delete(end);
    for (const importer of importers.get(end) ?? []) {
      const count = (counts.get(importer) ?? 0) - 1;
      if (!counts.has(importer)) continue;
      counts.set(importer, count);
      if (count === 0) ends.push(importer);
    }
  }
  return [...counts.keys()];
}

function shortestPath(from: string, to: string, targets: ReadonlyMap<string, readonly string[]>): string[] | null {
  const before = new Map<string, string>();
  const queue = [from];
  for (const file of queue) {
    for (const next of targets.get(file) ?? []) {
      if (before.has(next)) continue;
      before.set(next, file);
      if (next === to) return pathTo(to, from, before);
      queue.push(next);
    }
  }
  return null;
}

function pathTo(to: string, from: string, before: ReadonlyMap<string, string>): string[] {
  const path = [to];
  for (let file = before.get(to); file !== undefined; file = before.get(file)) {
    path.unshift(file);
    if (file === from) break;
  }
  return path;
}
