const ENOUGH_ALIKE = 0.5;

/**
 * The candidates most similar to the input, best first; case, spaces and underscores are ignored. A candidate is
 * compared as a whole and by its last part, so that `Tokio` finds `Asia/Tokyo`.
 */
export function nearest(written: string, candidates: readonly string[], limit = 3): string[] {
  const inputPairs = listPairs(written);
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(inputPairs, candidate) }))
    .filter((entry) => entry.likeness >= ENOUGH_ALIKE)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, limit)
    .map((entry) => entry.candidate);
}

function likeness(inputPairs: ReadonlySet<string>, candidate: string): number {
  const lastPart = candidate.slice(candidate.lastIndexOf('/') + 1);
  return Math.max(dice(inputPairs, listPairs(candidate)), dice(inputPairs, listPairs(lastPart)));
}

/** Sørensen–Dice coefficient: the share of letter pairs two words have in common, 0 to 1. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

function listPairs(word: string): Set<string> {
  // The borders count as letters, because users usually get the first and last letter of a name right.
  const padded = ` ${word
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()} `;
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < padded.length; i++) pairs.add(padded.slice(i, i + 2));
  return pairs;
}
