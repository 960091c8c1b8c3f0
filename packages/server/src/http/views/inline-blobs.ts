/**
 * Replaces references to stored files in messages by their bytes (`source: { data }`, base64), so that they can leave
 * this server. References to deleted files stay.
 */
export async function inlineBlobs<T>(value: T, read: (sha256: string) => Promise<Uint8Array | null>): Promise<T> {
  const found = new Map<string, string>();
  for (const sha256 of blobsIn(value)) {
    if (found.has(sha256)) continue;
    const bytes = await read(sha256);
    if (bytes !== null) found.set(sha256, Buffer.from(bytes).toString('base64'));
  }
  return found.size === 0 ? value : (replaced(value, found) as T);
}

/** The stored files that parts anywhere inside reference. */
export function* blobsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const blob = findBlob(value);
  if (blob !== undefined) yield blob;
  for (const inner of Object.values(value)) yield* blobsIn(inner);
}

function replaced(value: unknown, found: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => replaced(inner, found));
  const blob = findBlob(value);
  const data = blob === undefined ? undefined : found.get(blob);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'source' && data !== undefined ? { data } : replaced(inner, found),
    ]),
  );
}

/** The file that a part's source references; equal fields elsewhere, such as in tool arguments, are ignored. */
function findBlob(value: object): string | undefined {
  if (!('type' in value && 'source' in value)) return undefined;
  const { source } = value;
  if (typeof source !== 'object' || source === null || !('blob' in source)) return undefined;
  return typeof source.blob === 'string' ? source.blob : undefined;
}
