/** What vite writes of one file it built. */
export type ManifestEntry = { file: string; src?: string; name?: string; imports?: string[] };
export type Manifest = Record<string, ManifestEntry>;

/**
 * The scripts a browser fetches before an address can be used: those of the given entries and all they import, each
 * once. What is imported when needed (`dynamicImports`) is not among them.
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
