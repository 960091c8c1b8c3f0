import type { ModelInfo } from '@toolyard/model-runtime';
import { findLocalServers, loadProviders } from '@toolyard/model-runtime';
import type { Clock } from '@toolyard/protocol';
import { defined, isAbortError } from '@toolyard/protocol';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { KnownProvider } from './provider-presets.ts';
import type { ConfiguredProvider } from './provider-record.ts';

/** How long a scan counts, in milliseconds. */
const FRESH_MS = 60_000;

export type DetectedProvider = ConfiguredProvider & { models: readonly ModelInfo[] };

export type DetectedProvidersOptions = {
  fetches: OwnerFetches;
  clock: Clock;
  /** Default: the usual ports of the usual programs. */
  ports?: readonly number[];
  /** Told when a scan finds others than the one before. */
  onChange: () => void;
};

/** The model servers on the usual loopback ports. The first scan begins at once. */
export class DetectedProviders {
  readonly #options: DetectedProvidersOptions;
  readonly #stop = new AbortController();
  #known: readonly DetectedProvider[] = [];
  #scanning: Promise<void> | undefined;
  #scannedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DetectedProvidersOptions) {
    this.#options = options;
    void this.#scan();
  }

  /** What the last scan found; waits for one where there is none that counts. */
  async current(refresh: boolean): Promise<readonly DetectedProvider[]> {
    const isFresh = this.#options.clock.monotonic() - this.#scannedAt < FRESH_MS;
    if (this.#scanning !== undefined || refresh || !isFresh) await this.#scan();
    return this.#known;
  }

  /** Ends a scan under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#scanning;
  }

  #scan(): Promise<void> {
    this.#scanning ??= this.#look().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #look(): Promise<void> {
    const { fetches, clock, ports, onChange } = this.#options;
    if (this.#stop.signal.aborted) return;
    try {
      const servers = await findLocalServers({
        fetch: (input, init) => fetches.for(String(input))(input, init),
        clock,
        signal: this.#stop.signal,
        ...defined({ ports }),
      });
      const before = this.#known.map(({ id }) => id).join();
      const programs = (await loadProviders()).filter(({ place }) => place === 'own');
      this.#known = servers.map(({ label, baseUrl, models }) => ({
        id: `local-${new URL(baseUrl).port}`,
        label,
        origin: 'found',
        baseUrl,
        wire: 'openai-chat',
        ...knownAs(programs.find((program) => program.label === label)),
        models,
      }));
      this.#scannedAt = clock.monotonic();
      if (this.#known.map(({ id }) => id).join() !== before) onChange();
    } catch (thrown) {
      if (!isAbortError(thrown)) throw thrown;
    }
  }
}

function knownAs(known: KnownProvider | undefined): { known?: KnownProvider } {
  return known === undefined ? {} : { known };
}
