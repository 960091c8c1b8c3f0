import type { ToolResult } from '@toolyard/protocol';
import type { KeptFile, NotKept } from './large-results.ts';
import { byteLength, hasLargeText, MAX_INLINE_BYTES, textsToFiles } from './large-results.ts';

type Holder = { mimeType?: unknown; source: { data: string } };

/** Stores bytes as a file, or says why it does not, for example because of a limit. */
export type KeepFile = (bytes: Uint8Array, mimeType: string) => Promise<KeptFile | NotKept>;

/**
 * Large values are files everywhere: moves large media (`source: { data }`, base64) and the large texts of tool results anywhere
 * in a message, an event or a result to the blob store, and replaces media by `source: { blob }`. A value that is not kept
 * becomes a text that says why. Returns values without large parts unchanged.
 *
 * @param keep stores the bytes, such as `(bytes, mimeType) => storage.blobs.put(principal, bytes, { mimeType, at })`
 */
export async function mediaToBlobs<T>(value: T, keep: KeepFile): Promise<T> {
  if (!holdsLargeValue(value)) return value;
  // The same value is often there twice, as in an event with its message.
  const kept = new Map<string, Promise<KeptFile | NotKept>>();
  const keepOnce = (data: string, encoding: 'base64' | 'utf8', mimeType: string): Promise<KeptFile | NotKept> => {
    const known = kept.get(data) ?? keep(Buffer.from(data, encoding), mimeType);
    kept.set(data, known);
    return known;
  };
  const keepText = (text: string, mimeType: string): Promise<KeptFile | NotKept> => keepOnce(text, 'utf8', mimeType);

  async function move(each: unknown): Promise<unknown> {
    if (!holdsLargeValue(each)) return each;
    if (Array.isArray(each)) return inOrder(each, move);
    const holder = each as object;
    if (isLargeHolder(holder)) {
      const type = typeof holder.mimeType === 'string' ? holder.mimeType : 'application/octet-stream';
      const file = await keepOnce(holder.source.data, 'base64', type);
      if ('sha256' in file) return { ...holder, source: { blob: file.sha256 } };
      return {
        type: 'text',
        text: `[${type}, ${byteLength(holder.source.data)} bytes, was left out: ${file.refused}]`,
      };
    }
    const small = isToolResult(holder) ? await textsToFiles(holder, keepText) : holder;
    const entries = Object.entries(small);
    const values = await inOrder(entries, ([, inner]) => move(inner));
    return Object.fromEntries(entries.map(([key], index) => [key, values[index]]));
  }
  return (await move(value)) as T;
}

/** True if {@link mediaToBlobs} would change a value. */
function holdsLargeValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isLargeHolder(value) || (isToolResult(value) && hasLargeText(value))) return true;
  for (const inner of Object.values(value)) if (holdsLargeValue(inner)) return true;
  return false;
}

/** Why a value must not be stored as `text`; null if it may. */
export function mediaProblem(text: string, value: unknown): string | null {
  // Fast path: most values are too small to contain large media.
  if (text.length <= MAX_INLINE_BYTES || !holdsLargeMedia(value)) return null;
  return `contains media of more than ${MAX_INLINE_BYTES} bytes, which must be stored as a blob`;
}

function holdsLargeMedia(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isLargeHolder(value) || Object.values(value).some(holdsLargeMedia);
}

function isLargeHolder(value: object): value is Holder {
  if (!('source' in value) || typeof value.source !== 'object' || value.source === null) return false;
  const { source } = value;
  return 'data' in source && typeof source.data === 'string' && byteLength(source.data) > MAX_INLINE_BYTES;
}

function isToolResult(value: object): value is ToolResult {
  return 'content' in value && Array.isArray(value.content) && 'isError' in value && 'outcome' in value;
}

/** One after the other: limits count what was kept before. */
async function inOrder<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const item of items) done.push(await work(item));
  return done;
}
