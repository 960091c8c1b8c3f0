/** Role of a process, see `toolyard serve --role`. */
export type Role = 'all' | 'web' | 'worker' | 'tools';

/** Kinds of faults, with durations in milliseconds. */
export type TimedFault =
  | { kind: 'kill' | 'leave' | 'stop' | 'cut'; slot: number; at: number; ms: number }
  | { kind: 'fast' | 'immediate' | 'deaf'; at: number; ms: number };

type EnduranceFaultKind = TimedFault['kind'];

/** Drawn without replacement, so that a short run contains one of each. */
const BAG: readonly EnduranceFaultKind[] = ['kill', 'stop', 'fast', 'kill', 'deaf', 'immediate', 'cut', 'leave'];

/** Time from the recovery of a process to its next fault, in which it starts and executes runs. */
const RECOVERY_MS = 4_000;

/** Plans faults from the seed; at any time, at least one process that executes runs has no fault. */
export function planFaults(of: { random: () => number; roles: readonly Role[]; forMs: number }): TimedFault[] {
  const { random, roles, forMs } = of;
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const busyUntil = roles.map(() => 0);
  const takesRuns = (slot: number): boolean => roles[slot] === 'all' || roles[slot] === 'worker';
  const faults: TimedFault[] = [];
  let bag: EnduranceFaultKind[] = [];
  for (let at = between(1_500, 3_000); at < forMs; at += between(2_500, 6_000)) {
    if (bag.length === 0) bag = shuffled(BAG, random);
    const kind = bag.pop() ?? 'kill';
    const ms = chooseLength(kind, between);
    if (kind === 'fast' || kind === 'immediate' || kind === 'deaf') {
      faults.push({ kind, at, ms });
      continue;
    }
    const free = busyUntil.flatMap((until, slot) => (until <= at ? [slot] : []));
    const spared = free.filter((slot) => free.some((other) => other !== slot && takesRuns(other)));
    const slot = spared[Math.floor(random() * spared.length)];
    if (slot === undefined) {
      // Postponed.
      bag.unshift(kind);
      continue;
    }
    busyUntil[slot] = at + ms + RECOVERY_MS;
    faults.push({ kind, slot, at, ms });
  }
  return faults;
}

function chooseLength(kind: EnduranceFaultKind, between: (low: number, high: number) => number): number {
  switch (kind) {
    case 'kill':
    case 'leave':
      return between(200, 4_000);
    // Mostly longer than the lease, sometimes slightly shorter.
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
