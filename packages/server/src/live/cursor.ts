/** Position of a reader of all events. */
export type LivePosition = {
  /** Start of the newest known run: runs that started earlier were read or are in `runs`. Milliseconds since 1970. */
  settledUntil: number;
  /** Last seq read, of each active run and of those that started last. */
  runs: ReadonlyMap<string, number>;
};

/** `<time>;<run>=<seq>;...`, in characters valid in headers and URLs. */
export function formatCursor({ settledUntil, runs }: LivePosition): string {
  let text = String(settledUntil);
  for (const [runId, seq] of runs) text += `;${encodeURIComponent(runId)}=${seq}`;
  return text;
}

/** Null for an invalid cursor. */
export function parseCursor(text: string): LivePosition | null {
  const [time = '', ...entries] = text.split(';');
  if (!/^\d{1,15}$/.test(time)) return null;
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const [, name, seq] = /^([^=]+)=(\d{1,15})$/.exec(entry) ?? [];
    const runId = name === undefined ? null : decode(name);
    if (runId === null || seq === undefined) return null;
    runs.set(runId, Number(seq));
  }
  return { settledUntil: Number(time), runs };
}

/** Null for an invalid encoding. */
function decode(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}
