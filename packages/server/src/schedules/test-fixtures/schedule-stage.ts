import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Owner, ToolReference } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock, createIds } from '@toolyard/testing';
import { createLiveHub } from '../../live/hub.ts';
import type { RunService } from '../../services.ts';
import type { SchedulesOptions } from '../schedules.ts';
import { createSchedules } from '../schedules.ts';

export const ANNE: Owner = { ownerId: 'anne' };

const LEASE = { owner: 'test', ms: 3_600_000_000 };

/** Schedules of one process, over a real data folder. Runs are stored as active and end when a test says so. */
export type ScheduleStage = {
  storage: Storage;
  clock: FakeClock;
  runs: Pick<RunService, 'send'>;
  /** Messages sent, in order: `<run id>: <text>`. */
  sent: string[];
  approved: ToolReference[];
  log: string[];
  /** Each of the next sends throws one of these. */
  failures: Error[];
  /** Another process over the same storage. */
  process(more?: Partial<SchedulesOptions>): ReturnType<typeof createSchedules>;
  finish(runId: string): void;
  /** The process has crashed: it is not closed. */
  abandon(process: ReturnType<typeof createSchedules>): void;
  close(): Promise<void>;
};

export async function openStage(start: string): Promise<ScheduleStage> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-schedules-'));
  const clock = createFakeClock({ start: Date.parse(start) });
  const storage = await openStorage({ folder, clock });
  const [sent, log, approved, failures]: [string[], string[], ToolReference[], Error[]] = [[], [], [], []];
  const open: ReturnType<typeof createSchedules>[] = [];

  const send: RunService['send'] = async (principal, conversationId, { id = '', parts }) => {
    const failure = failures.shift();
    if (failure) throw failure;
    const conversation = await storage.conversations.get(principal, conversationId);
    if (conversation === null)
      throw new ToolyardError({ code: 'not_found', message: 'There is no such conversation.' });
    const message = { id, parentId: conversation.leafId, createdAt: clock.now(), role: 'user' as const, parts };
    const created = storage.runs.createRun(principal, {
      id,
      conversationId,
      place: 'server',
      at: clock.now(),
      messages: [message],
      leaf: id,
      lease: LEASE,
    });
    // Sent again: the same run.
    if (created.outcome === 'exists') return { run: created.run, message };
    if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
    const [first] = parts;
    sent.push(`${id}: ${first?.type === 'text' ? first.text : ''}`);
    return { run: created.run, message };
  };

  return {
    storage,
    clock,
    runs: { send },
    sent,
    approved,
    log,
    failures,
    process(more) {
      const made = createSchedules({
        storage,
        runs: { send },
        servers: { approve: ({ tool }) => void approved.push(tool) },
        hub: createLiveHub(),
        clock,
        ids: createIds(`schedule-${open.length + 1}`),
        log: (line) => void log.push(line),
        timeZone: 'UTC',
        lookEveryMs: 60_000,
        ...defined({ ...more }),
      });
      open.push(made);
      return made;
    },
    finish(runId) {
      const run = storage.runs.getRun(ANNE, runId);
      if (run === null) throw new Error(`no run ${runId}`);
      storage.runs.commit([
        { runId, fence: 1, baseSeq: run.lastSeq, events: [], durability: 'normal', status: 'done' },
      ]);
    },
    abandon: (process) => void open.splice(open.indexOf(process), 1),
    async close() {
      await Promise.all(open.map((each) => each.close()));
      storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
