import type { StorageEngine } from '../engine/engine.ts';
import { statements, transaction } from '../engine/work.ts';

/** A limit within one span of time that begins at `startedAt`. */
export type RateSpan = { span: string; startedAt: number; limit: number };

/** Counters of rate limits, shared by all processes. */
export type RateCounterRepository = {
  /** Counts one use in all spans; if one of them is used up, counts nothing and returns it. */
  take(subject: string, spans: readonly RateSpan[]): Promise<RateSpan | null>;
  /** Deletes counters of spans that began before this time. */
  sweep(before: number): Promise<void>;
};

export function createRateCounterRepository(engine: StorageEngine): RateCounterRepository {
  const count = engine.prepare(`
    INSERT INTO rate_counters (subject, span, started_at, count) VALUES (?1, ?2, ?3, 1)
    ON CONFLICT (subject, span, started_at) DO UPDATE SET count = rate_counters.count + 1 WHERE rate_counters.count < ?4`);
  const uncount = engine.prepare(`
    UPDATE rate_counters SET count = count - 1 WHERE subject = ? AND span = ? AND started_at = ?`);
  const sweep = engine.prepare('DELETE FROM rate_counters WHERE started_at < ?');

  return {
    async take(subject, spans) {
      const job = transaction('rate-counter', 'normal', function* () {
        for (const [index, { span, startedAt, limit }] of spans.entries()) {
          if ((yield* count.run(subject, span, startedAt, limit)) === 1) continue;
          for (const counted of spans.slice(0, index)) yield* uncount.run(subject, counted.span, counted.startedAt);
          return spans[index] ?? null;
        }
        return null;
      });
      return engine.perform(job);
    },
    async sweep(before) {
      await engine.perform(statements(() => sweep.run(before)));
    },
  };
}
