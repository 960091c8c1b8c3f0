import type { ModelInfo, ModelRuntime } from '@toolyard/model-runtime';
import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { createErrorInfo, isAbortError, toErrorInfo, say } from '@toolyard/protocol';

/** How long a list is used, in milliseconds; after an error shorter, because it may be corrected soon. */
const FRESH_MS = 60_000;
const FRESH_FAILURE_MS = 10_000;

/** `before`: the last successful result. */
export type ListOutcome =
  | { ok: true; models: readonly ModelInfo[] }
  | { ok: false; error: ErrorInfo; before?: readonly ModelInfo[] };

type Entry = { version: string; outcome?: ListOutcome; at: number; asking?: Promise<ListOutcome> };

/** `refresh`: query again; `fresh`: query if expired; `known`: query only if nothing is known. */
export type Freshness = 'refresh' | 'fresh' | 'known';

/** Caches the model lists of providers. */
export class ModelLists {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last result of a provider; undefined if it was not queried yet. */
  known(key: string, version: string): ListOutcome | undefined {
    const entry = this.#entries.get(key);
    return entry?.version === version ? entry.outcome : undefined;
  }

  /**
   * The models of one provider, queried for at most `ms`. Never rejects.
   *
   * @param version identifies base URL and key; results of other versions are ignored
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
      const before = findModels(current.outcome);
      current.outcome = answered.ok || before === undefined ? answered : { ...answered, before };
      current.at = this.#clock.monotonic();
      delete current.asking;
      return current.outcome;
    });
    return current.asking;
  }
}

function findModels(outcome: ListOutcome | undefined): readonly ModelInfo[] | undefined {
  return outcome?.ok === false ? outcome.before : outcome?.models;
}

/** Queries a server for its models, for at most `ms`. Rejects only with an AbortError of the given signal. */
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
      error: createErrorInfo({
        code: 'timed_out',
        message: say`${runtime.label ?? runtime.provider} did not return its models within ${ms / 1000} s.`,
        hint: say`Check the base URL and whether the server is busy.`,
        retryable: true,
      }),
    };
  } finally {
    callOff();
  }
}
