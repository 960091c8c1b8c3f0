/** What a process is there for; see `toolyard serve --role`. */
export type Role = 'all' | 'web' | 'worker' | 'tools';

/** What is done to processes and database, and for how many milliseconds. */
export type TimedFault =
  | { kind: 'kill' | 'leave' | 'stop' | 'cut'; slot: number; at: number; ms: number }
  | { kind: 'fast' | 'immediate' | 'deaf'; at: number; ms: number };

type BlowKind = TimedFault['kind'];

/** Drawn without putting back until it is empty: a short time sees one of each. */
const BAG: readonly BlowKind[] = ['kill', 'stop', 'fast', 'kill', 'deaf', 'immediate', 'cut', 'leave'];

/** From a process's return to the next blow against it: until it is up and has taken part. */
const RECOVERY_MS = 4_000;

/** Blows one after another, by the seed; at any time at least one process that takes up runs is left alone. */
export function planFaults(of: { random: () => number; roles: readonly Role[]; forMs: number }): TimedFault[] {
  const { random, roles, forMs } = of;
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const busyUntil = roles.map(() => 0);
  const takesRuns = (slot: number): boolean => roles[slot] === 'all' || roles[slot] === 'worker';
  const blows: TimedFault[] = [];
  let bag: BlowKind[] = [];
  for (let at = between(1_500, 3_000); at < forMs; at += between(2_500, 6_000)) {
    if (bag.length === 0) bag = shuffled(BAG, random);
    const kind = bag.pop() ?? 'kill';
    const ms = lengthOf(kind, between);
    if (kind === 'fast' || kind === 'immediate' || kind === 'deaf') {
      blows.push({ kind, at, ms });
      continue;
    }
    const free = busyUntil.flatMap((until, slot) => (until <= at ? [slot] : []));
    const spared = free.filter((slot) => free.some((other) => other !== slot && takesRuns(other)));
    const slot = spared[Math.floor(random() * spared.length)];
    if (slot === undefined) {
      // Kept for later.
      bag.unshift(kind);
      continue;
    }
    busyUntil[slot] = at + ms + RECOVERY_MS;
    blows.push({ kind, slot, at, ms });
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
