import type { CheckResult } from '../check.ts';
import { GAPS } from '../check.ts';
import type { Engine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';

/** Gaps in the events of a run, and blobs that hold something else. What the tables themselves forbid is not looked at. */
export async function checkDatabase(engine: Engine): Promise<CheckResult> {
  const gaps = engine.prepare<{ id: string }>(GAPS);
  const changed = engine.prepare<{ sha256: string }>(
    `SELECT sha256 FROM blob_bytes WHERE encode(sha256(bytes), 'hex') <> sha256 ORDER BY sha256`,
  );
  const runs = await engine.perform(statements(() => gaps.all()));
  const blobs = await engine.perform(statements(() => changed.all()));
  const problems = [
    ...runs.map(({ id }) => `The events of run ${id} are not whole.`),
    ...blobs.map(({ sha256 }) => `Blob ${sha256} holds something else.`),
  ];
  return problems.length === 0 ? { ok: true } : { ok: false, problems };
}
