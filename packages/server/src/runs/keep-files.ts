import type { Clock, Owner } from '@toolyard/protocol';
import type { KeepFile, SharedStorage } from '@toolyard/storage';

const MB = 1_000_000;
const DAY_MS = 86_400_000;

/** Bytes that tools may store as files: by one file, by the files of one run in one process, and per user and day (UTC). */
const FILE_LIMITS = { file: 64 * MB, run: 256 * MB, day: 2_000 * MB } as const;

type KeepFilesOptions = {
  storage: { blobs: Pick<SharedStorage['blobs'], 'put' | 'sizeSince'> };
  principal: Owner;
  clock: Clock;
  limits?: { readonly [K in keyof typeof FILE_LIMITS]: number };
};

/**
 * Stores the large values of one run as files, within {@link FILE_LIMITS}: a tool that is called often cannot fill the
 * disk. What exceeds a limit is not stored, and the result says so.
 */
export function keepFilesOfRun({ storage, principal, clock, limits = FILE_LIMITS }: KeepFilesOptions): KeepFile {
  let ofRun = 0;
  return async (bytes, mimeType) => {
    const { byteLength } = bytes;
    const at = clock.now();
    if (byteLength > limits.file) return refusal('one file of a tool', limits.file);
    if (ofRun + byteLength > limits.run) return refusal('the files of one run', limits.run);
    const ofDay = await storage.blobs.sizeSince(principal, at - (at % DAY_MS));
    if (ofDay + byteLength > limits.day) return refusal('the files of one day', limits.day);
    ofRun += byteLength;
    return storage.blobs.put(principal, bytes, { mimeType, at });
  };
}

function refusal(what: string, limit: number): { refused: string } {
  return { refused: `${what} may have at most ${Math.round(limit / MB)} MB` };
}
