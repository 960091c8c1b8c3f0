/**
 * - `stale`: somebody else has the run
 * - `overtaken`: a person answered at a door what this process was about to answer; the run is taken up anew
 * - `invalid`: what was to be stored contradicts itself or what is stored; a defect of ours
 * - `engine`: the store failed: disk full, file gone
 * - `newer`: a newer version of Toolyard wrote its state
 * - `let_go`: this process stops and leaves the run to the next one
 */
export type LossReason = 'stale' | 'overtaken' | 'invalid' | 'engine' | 'newer' | 'let_go';

/** This process may not write the run any more, or cannot: whatever is under way for it is dropped. */
export class RunLost extends Error {
  readonly reason: LossReason;

  constructor(reason: LossReason, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'RunLost';
    this.reason = reason;
  }
}
