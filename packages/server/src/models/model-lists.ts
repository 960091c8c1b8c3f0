import type { ModelInfo, ModelRuntime } from '@toolyard/model-runtime';
import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { isAbortError, toErrorInfo } from '@toolyard/protocol';

/** How long a list counts, in milliseconds; a failure counts less, since somebody may be putting it right. */
const FRESH_MS = 60_000;
const FRESH_FAILURE_MS = 10_000;

/** `before`: what it told when it last could be asked. */
export type ListOutcome =
  | { ok: true; models: readonly ModelInfo[] }
  | { ok: false; error: ErrorInfo; before?: readonly ModelInfo[] };

type Entry = { version: string; outcome?: ListOutcome; at: number; asking?: Promise<ListOutcome> };

/** `refresh` asks again, `fresh` where what is known is too old, `known` only where nothing is known. */
export type Freshness = 'refresh' | 'fresh' | 'known';

/** What providers said of their models, kept for a while. */
export class ModelLists {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a provider said last; undefined where it was not asked yet. */
  known(key: string, version: string): ListOutcome | undefined {
    const entry = this.#entries.get(key);
    return entry?.version === version ? entry.outcome : undefined;
  }

  /**
   * The models of one provider, asked for at most `ms`. Never rejects.
   *
   * @param version Stands for address and key: what another one said does not count.
   */
  async ask(key: string, version: string, runtime: ModelRuntime, how: Freshness, ms: number): Promise<ListOutcome> {
    let entry = this.#entries.get(key);
    if (entry?.version !== version) {
      entry = { version, at: Number.NEGATIVE_INFINITY };
      this.#entries.set(key, entry);
    }
    const { outcome } = entry;
    if (outcome !== undefined && how !== 'refresh') {
      const age = this.#clock.monotonic() - entry.at;
      if (how === 'known' || age < (outcome.ok ? FRESH_MS : FRESH_FAILURE_MS)) return outcome;
    }
    const current = entry;
    current.asking ??= askModels(runtime, this.#clock, ms).then((answered) => {
      const before = modelsOf(current.outcome);
      current.outcome = answered.ok || before === undefined ? answered : { ...answered, before };
      current.at = this.#clock.monotonic();
      delete current.asking;
      return current.outcome;
    });
    return current.asking;
  }
}

function modelsOf(outcome: ListOutcome | undefined): readonly ModelInfo[] | undefined {
  return outcome?.ok === false ? outcome.before : outcome?.models;
}

/** Asks a server for its models, for at most `ms`. Rejects only with an AbortError of the given signal. */
export async function askModels(
  runtime: ModelRuntime,
  clock: Clock,
  ms: number,
  signal?: AbortSignal,
): Promise<ListOutcome> {
  const deadline = new AbortController();
  const callOff = clock.after(ms, () => deadline.abort());
  const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  try {
    return { ok: true, models: await runtime.models({ signal: either }) };
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    if (!isAbortError(thrown)) return { ok: false, error: toErrorInfo(thrown) };
    return {
      ok: false,
      error: {
        code: 'timed_out',
        message: `${runtime.provider} did not tell its models within ${ms / 1000} s.`,
        hint: 'Check the address and whether the server is busy.',
        retryable: true,
      },
    };
  } finally {
    callOff();
  }
}
