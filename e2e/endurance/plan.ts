/** What is done to processes and database, and for how many milliseconds. */
export type Blow =
  | { kind: 'kill' | 'leave' | 'stop' | 'cut'; slot: number; at: number; ms: number }
  | { kind: 'fast' | 'immediate' | 'deaf'; at: number; ms: number };

export type BlowKind = Blow['kind'];

/** Drawn without putting back until it is empty: a short time sees one of each. */
const BAG: readonly BlowKind[] = ['kill', 'stop', 'fast', 'kill', 'deaf', 'immediate', 'cut', 'leave'];

/** From a process's return to the next blow against it: until it is up and has taken part. */
const RECOVERY_MS = 4_000;

/** Blows one after another, by the seed; at any time at least one process is left alone. */
export function planBlows(of: { random: () => number; slots: number; forMs: number }): Blow[] {
  const { random, slots, forMs } = of;
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const busyUntil = Array.from({ length: slots }, () => 0);
  const blows: Blow[] = [];
  let bag: BlowKind[] = [];
  for (let at = between(1_500, 3_000); at < forMs; at += between(2_500, 6_000)) {
    if (bag.length === 0) bag = shuffled(BAG, random);
    const free = busyUntil.flatMap((until, slot) => (until <= at ? [slot] : []));
    const kind = bag.pop() ?? 'kill';
    const ms = lengthOf(kind, between);
    if (kind === 'fast' || kind === 'immediate' || kind === 'deaf') {
      blows.push({ kind, at, ms });
    } else if (free.length < 2) {
      // Kept for later.
      bag.unshift(kind);
    } else {
      const slot = free[Math.floor(random() * free.length)] ?? 0;
      busyUntil[slot] = at + ms + RECOVERY_MS;
      blows.push({ kind, slot, at, ms });
    }
  }
  return blows;
}

function lengthOf(kind: BlowKind, between: (low: number, high: number) => number): number {
  switch (kind) {
    case 'kill':
    case 'leave':
      return between(200, 4_000);
    // Mostly past the lease, now and then just short of it.
    case 'stop':
    case 'cut':
      return between(7_000, 16_000);
    case 'fast':
    case 'immediate':
      return between(100, 5_000);
    case 'deaf':
      return between(5_000, 12_000);
  }
}

function shuffled<T>(of: readonly T[], random: () => number): T[] {
  const keyed = of.map((value) => ({ value, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ value }) => value);
}
