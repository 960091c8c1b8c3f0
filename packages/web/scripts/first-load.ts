/** A file in vite's manifest. */
export type ManifestEntry = { file: string; src?: string; name?: string; imports?: string[]; isDynamicEntry?: boolean };
export type Manifest = Record<string, ManifestEntry>;

/**
 * The scripts a browser fetches before a route can be used: the given entries and all their static imports, each once.
 * Dynamic imports are not included.
 */
export function firstLoad(manifest: Manifest, entries: readonly string[]): ManifestEntry[] {
  const seen = new Set<string>();
  const wanted = [...entries];
  for (let key = wanted.pop(); key !== undefined; key = wanted.pop()) {
    if (seen.has(key)) continue;
    const entry = manifest[key];
    if (entry === undefined) throw new Error(`the manifest of the build does not name ${key}`);
    seen.add(key);
    wanted.push(...(entry.imports ?? []));
  }
  return [...seen].flatMap((key) => manifest[key] ?? []).filter(({ file }) => file.endsWith('.js'));
}

/** Which of the modules are not loaded on demand: they are part of the first load, or no chunk of their own. */
export function notLate(manifest: Manifest, first: readonly ManifestEntry[], modules: readonly string[]): string[] {
  const files = new Set(first.map(({ file }) => file));
  return modules.filter((module) => {
    const entry = manifest[module];
    return entry?.isDynamicEntry !== true || files.has(entry.file);
  });
}
