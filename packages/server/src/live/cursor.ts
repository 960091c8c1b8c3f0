/** Where a reader of everything stands. */
export type LivePosition = {
  /** When the newest run known began: those that began before are read or named. Milliseconds since 1970. */
  settledUntil: number;
  /** The last seq read of each run that goes on, and of those that began last. */
  runs: ReadonlyMap<string, number>;
};

/** `<time>;<run>=<seq>;...`, in letters that fit into a header and an address. */
export function formatCursor({ settledUntil, runs }: LivePosition): string {
  let text = String(settledUntil);
  for (const [runId, seq] of runs) text += `;${encodeURIComponent(runId)}=${seq}`;
  return text;
}

/** Null where it is none of ours. */
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

/** Null for what no cursor of ours says. */
function decode(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}
