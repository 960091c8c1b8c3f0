/**
 * The names most like `wanted`, best first, at most `count`. Likeness is shared pairs of letters (Dice), so that
 * `getDate` finds `get-date` and `weather_get` finds `get_weather`.
 */
export function nearestNames(wanted: string, names: readonly string[], count = 3): string[] {
  const pairs = pairsOf(wanted);
  return names
    .map((name) => ({ name, likeness: likeness(pairs, pairsOf(name)) }))
    .filter(({ likeness }) => likeness > 0.2)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ name }) => name);
}

function pairsOf(name: string): Set<string> {
  const surrogates = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < surrogates.length; i++) pairs.add(surrogates.slice(i, i + 2));
  return pairs;
}

function likeness(a: Set<string>, b: Set<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}
