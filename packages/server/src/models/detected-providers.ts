import type { ModelInfo } from '@toolyard/model-runtime';
import { findLocalServers, loadProviders, LOADING_POLL_MS } from '@toolyard/model-runtime';
import type { Clock } from '@toolyard/protocol';
import { defined, isAbortError } from '@toolyard/protocol';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { KnownProvider } from './provider-presets.ts';
import type { ConfiguredProvider } from './provider-record.ts';

const ID_PREFIX = 'local-';
/** How long the result of a scan is used, in milliseconds. */
const FRESH_MS = 60_000;
/** Timeout of a scan for a server that a run needs: on a busy machine the usual one may miss it. */
const NEEDED_TIMEOUT_MS = 5_000;

export type DetectedProvider = ConfiguredProvider & { models: readonly ModelInfo[]; isLoading?: true };

export type DetectedProvidersOptions = {
  fetches: OwnerFetches;
  clock: Clock;
  /** Default: the usual ports of known model servers. */
  ports?: readonly number[];
  /** Called when a scan finds other servers than the previous one. */
  onChange: () => void;
};

/** Detects model servers on the usual loopback ports. The first scan starts at once. */
export class DetectedProviders {
  readonly #options: DetectedProvidersOptions;
  readonly #stop = new AbortController();
  #known: readonly DetectedProvider[] = [];
  #scanning: Promise<void> | undefined;
  #scannedAt = Number.NEGATIVE_INFINITY;
  #cancelLook: () => void = () => undefined;

  constructor(options: DetectedProvidersOptions) {
    this.#options = options;
    void this.#scan();
  }

  /** Result of the last scan; waits for a new one if it has expired. */
  async current(refresh: boolean): Promise<readonly DetectedProvider[]> {
    const isFresh = this.#options.clock.monotonic() - this.#scannedAt < FRESH_MS;
    const isAnyLoading = this.#known.some(({ isLoading }) => isLoading);
    if (this.#scanning !== undefined || refresh || !isFresh || isAnyLoading) await this.#scan();
    return this.#known;
  }

  /** The provider with this id; scans again if the last scan did not detect it. */
  async find(id: string): Promise<DetectedProvider | undefined> {
    const found = (await this.current(false)).find((provider) => provider.id === id);
    if (found !== undefined || !id.startsWith(ID_PREFIX)) return found;
    await this.#scanning;
    await this.#scan(NEEDED_TIMEOUT_MS);
    return this.#known.find((provider) => provider.id === id);
  }

  /** Aborts a scan in progress. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelLook();
    await this.#scanning;
  }

  /** Subscribers are notified of a loaded model without a request for the list. */
  #watchLoading(): void {
    this.#cancelLook();
    if (this.#stop.signal.aborted || !this.#known.some(({ isLoading }) => isLoading)) return;
    this.#cancelLook = this.#options.clock.after(LOADING_POLL_MS, () => void this.#scan());
  }

  #scan(timeoutMs?: number): Promise<void> {
    this.#scanning ??= this.#look(timeoutMs).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #look(timeoutMs: number | undefined): Promise<void> {
    const { fetches, clock, ports, onChange } = this.#options;
    if (this.#stop.signal.aborted) return;
    try {
      const servers = await findLocalServers({
        fetch: (input, init) => fetches.for(String(input))(input, init),
        clock,
        signal: this.#stop.signal,
        ...defined({ ports, timeoutMs }),
      });
      const before = getState(this.#known);
      const programs = (await loadProviders()).filter(({ place }) => place === 'own');
      this.#known = servers.map(({ label, baseUrl, models, isLoading }) => ({
        id: `${ID_PREFIX}${new URL(baseUrl).port}`,
        label,
        origin: 'found',
        baseUrl,
        wire: 'openai-chat',
        ...knownAs(programs.find((program) => program.label === label)),
        models,
        ...defined({ isLoading }),
      }));
      this.#scannedAt = clock.monotonic();
      this.#watchLoading();
      if (getState(this.#known) !== before) onChange();
    } catch (thrown) {
      if (!isAbortError(thrown)) throw thrown;
    }
  }
}

function getState(known: readonly DetectedProvider[]): string {
  return known.map(({ id, isLoading = false }) => `${id} ${isLoading}`).join();
}

function knownAs(known: KnownProvider | undefined): { known?: KnownProvider } {
  return known === undefined ? {} : { known };
}
