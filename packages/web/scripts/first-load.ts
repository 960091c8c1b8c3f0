/** A file in vite's manifest. */
export type ManifestEntry = { file: string; src?: string; name?: string; imports?: string[] };
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
