/**
 * - `stale`: another process holds the run
 * - `overtaken`: a user answered over the API an interrupt that this process was about to answer; the run is recovered
 * - `invalid`: the data to store contradicts itself or the stored data, a bug
 * - `engine`: the store failed: disk full, file missing
 * - `newer`: a newer version of Toolyard wrote the state
 * - `let_go`: this process is stopping and leaves the run to another
 */
export type LossReason = 'stale' | 'overtaken' | 'invalid' | 'engine' | 'newer' | 'let_go';

/**
 * This process can no longer write the run: everything in progress for it is dropped.
 *
 * @example
 * const isElsewhere = (error: unknown): boolean => error instanceof RunLost && error.reason === 'stale';
 */
export class RunLost extends Error {
  readonly reason: LossReason;

  constructor(reason: LossReason, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'RunLost';
    this.reason = reason;
  }
}
