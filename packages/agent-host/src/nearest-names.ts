/**
 * The names most similar to `name`, best first, at most `count`. Similarity is the share of common letter pairs (Dice),
 * so that `getDate` finds `get-date` and `weather_get` finds `get_weather`.
 *
 * @example
 * nearestNames('getDate', ['get-date', 'weather'], 1); // ['get-date']
 */
export function nearestNames(name: string, names: readonly string[], count = 3): string[] {
  const pairs = listPairs(name);
  return names
    .map((name) => ({ name, likeness: likeness(pairs, listPairs(name)) }))
    .filter(({ likeness }) => likeness > 0.2)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ name }) => name);
}

function listPairs(name: string): Set<string> {
  const characters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < characters.length; i++) pairs.add(characters.slice(i, i + 2));
  return pairs;
}

function likeness(a: Set<string>, b: Set<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}
