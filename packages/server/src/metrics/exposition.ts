/** One value of a metric, with the labels that distinguish it. */
export type Sample = { value: number; labels?: Readonly<Record<string, string>>; suffix?: string };

/** A metric in the Prometheus text format. A metric without samples still has its HELP and TYPE lines. */
export function formatMetric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram' | 'untyped',
  { help, samples }: { help: string; samples: readonly Sample[] },
): string {
  const lines = samples.map(({ value, labels = {}, suffix = '' }) => `${name}${suffix}${inBraces(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function inBraces(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Counts by labels. */
export class Counter {
  readonly #counts = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();

  add(labels: Readonly<Record<string, string>>, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#counts.get(key);
    if (known) known.value += by;
    else this.#counts.set(key, { labels, value: by });
  }

  get samples(): Sample[] {
    return [...this.#counts.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

/** Cumulative counts of observations by upper bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    for (const [index, bound] of this.#bounds.entries()) {
      if (value <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    }
  }

  get samples(): Sample[] {
    return [
      ...this.#bounds.map((bound, index) => ({
        suffix: '_bucket',
        labels: { le: String(bound) },
        value: this.#counts[index] ?? 0,
      })),
      { suffix: '_bucket', labels: { le: '+Inf' }, value: this.#count },
      { suffix: '_sum', value: this.#sum },
      { suffix: '_count', value: this.#count },
    ];
  }
}
