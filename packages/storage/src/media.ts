import type { BlobInfo } from './blobs.ts';

/** Media larger than this many bytes is stored as a blob, never within a row. */
export const MAX_INLINE_BYTES = 65_536;

type Holder = { mimeType?: unknown; source: { data: string } };

/**
 * Moves large media (`source: { data }`, base64) anywhere in a message, an event or a tool result to the blob store and
 * replaces it by `source: { blob }`. Returns values without large media unchanged.
 *
 * @param keep stores the bytes, such as `(bytes, mimeType) => storage.blobs.put(principal, bytes, { mimeType, at })`
 */
export async function mediaToBlobs<T>(
  value: T,
  keep: (bytes: Uint8Array, mimeType: string) => Promise<Pick<BlobInfo, 'sha256'>>,
): Promise<T> {
  const names = new Map<string, string>();
  for (const { mimeType, source } of largeMedia(value)) {
    if (names.has(source.data)) continue;
    const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
    const { sha256 } = await keep(Buffer.from(source.data, 'base64'), type);
    names.set(source.data, sha256);
  }
  return names.size === 0 ? value : (replaceMedia(value, names) as T);
}

/** Why a value must not be stored as `text`; null if it may. */
export function mediaProblem(text: string, value: unknown): string | null {
  // Fast path: most values are too small to contain large media.
  if (text.length <= MAX_INLINE_BYTES || largeMedia(value).next().done) return null;
  return `contains media of more than ${MAX_INLINE_BYTES} bytes, which must be stored as a blob`;
}

function* largeMedia(value: unknown): Generator<Holder> {
  if (typeof value !== 'object' || value === null) return;
  if (holdsMedia(value) && byteLength(value.source.data) > MAX_INLINE_BYTES) yield value;
  for (const inner of Object.values(value)) yield* largeMedia(inner);
}

function replaceMedia(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => replaceMedia(inner, names));
  const blob = holdsMedia(value) ? names.get(value.source.data) : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'source' && blob !== undefined ? { blob } : replaceMedia(inner, names),
    ]),
  );
}

function holdsMedia(value: object): value is Holder {
  if (!('source' in value) || typeof value.source !== 'object' || value.source === null) return false;
  return 'data' in value.source && typeof value.source.data === 'string';
}

function byteLength(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
