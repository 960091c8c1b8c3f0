import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Message, RunEvent } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { copyStorage, openStorage } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { runEvent } from '../http/schemas/runs.ts';
import { ANNE } from './test-fixtures/bench.ts';
import { recordingsOf, shapeOf, versions } from './test-fixtures/corpus/corpus.ts';
import type { Recording, Rows } from './test-fixtures/corpus/recording.ts';
import { NAMES, renamed, writeRows } from './test-fixtures/corpus/recording.ts';
import { currentShape } from './test-fixtures/corpus/shape.ts';
import { outcomeOf, playPersons, stageOver, storyOf } from './test-fixtures/corpus/stage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-corpus-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A recorded moment under names of its own. */
type Scene = { name: string; recording: Recording; rows: Rows; conversationId: string; isOver: boolean };

function scenesOf(version: string): Scene[] {
  return recordingsOf(version).flatMap((recording) =>
    recording.moments.map(({ at, rows }, index) => {
      const suffix = `-${recording.story}-${index}`;
      return {
        name: `${version} ${recording.story} at ${at}`,
        recording,
        rows: renamed(rows, suffix),
        conversationId: `${NAMES.conversation}${suffix}`,
        isOver: at === 'over',
      };
    }),
  );
}

/** What a reader has who applies the events of a run: every message, whole. */
function applied(events: readonly RunEvent[]): Map<string, Message> {
  const messages = new Map<string, Message>();
  for (const event of events) {
    if (event.type === 'run_started' || event.type === 'message_finished' || event.type === 'tool_finished') {
      messages.set(event.message.id, event.message);
    }
  }
  return messages;
}

async function eventsOf(storage: SharedStorage, conversationId: string): Promise<RunEvent[][]> {
  const runs = await storage.runs.listRuns(ANNE, { conversationId, limit: 99 });
  return Promise.all(runs.map(async ({ id }) => [...((await storage.runs.readEvents(ANNE, id, 0, 9_999)) ?? [])]));
}

/** Every event is one this version can hand out, none is missing, and together they are what is shown. */
async function expectReadable(storage: SharedStorage, { name, conversationId }: Scene): Promise<void> {
  const branch = await storage.messages.branch(ANNE, conversationId);
  const messages = new Map<string, Message>();
  for (const events of await eventsOf(storage, conversationId)) {
    expect(
      events.map(({ seq }) => seq),
      name,
    ).toEqual(events.map((_event, index) => index + 1));
    for (const event of events) expect(runEvent.safeParse(event).error, name).toBeUndefined();
    for (const [id, message] of applied(events)) messages.set(id, message);
  }
  expect(
    branch.map(({ id }) => messages.get(id)),
    name,
  ).toEqual(branch);
}

/** As it was recorded, but for what had not been said yet; of a run that is cancelled only that it is. */
async function expectRecordedEnd(storage: SharedStorage, scene: Scene): Promise<void> {
  const { name, recording, rows, conversationId } = scene;
  const said = (rows['runs']?.length ?? 0) + (rows['queued_messages']?.length ?? 0);
  const { statuses, told } = await outcomeOf(storage, conversationId);
  expect(statuses, name).toEqual(recording.statuses.slice(0, said));
  if (!storyOf(recording.story).cancelled) expect(told, name).toEqual(upToQuestion(said, recording.told));
}

function upToQuestion(count: number, told: readonly string[]): string[] {
  let questions = 0;
  return told.filter((line) => (questions += line.startsWith('user: ') ? 1 : 0) <= count);
}

/** Opens what was recorded, all moments side by side, and takes up what is not over. */
async function replay(storage: SharedStorage, scenes: readonly Scene[]): Promise<void> {
  for (const scene of scenes.filter(({ isOver }) => isOver)) {
    await expectReadable(storage, scene);
    await expectRecordedEnd(storage, scene);
  }
  const log: string[] = [];
  // Nobody takes anything over here, also where a machine holds this process up for longer than a lease.
  const runs = stageOver(storage, { leaseMs: 300_000, log: (line) => log.push(line) });
  try {
    await runs.start();
    const open = scenes.filter(({ isOver }) => !isOver);
    const stories = open.map(({ recording, conversationId }) => [conversationId, storyOf(recording.story)] as const);
    await playPersons({ storage, runs }, new Map(stories));
    for (const scene of open) {
      await expectReadable(storage, scene);
      await expectRecordedEnd(storage, scene);
    }
    expect(log).toEqual([]);
    expect(await storage.check()).toEqual({ ok: true });
  } finally {
    await runs.close();
  }
}

describe('runs an earlier version has stored', () => {
  test.each(versions())(
    '%s: all are read, and those under way are taken up and end as they should',
    async (version) => {
      const scenes = scenesOf(version);
      await writeRows(
        folder,
        scenes.map(({ rows }) => rows),
        systemClock,
      );
      const storage = await openStorage({ folder, clock: systemClock });
      try {
        await replay(storage, scenes);
      } finally {
        storage.close();
      }
    },
  );

  test('are recorded in the form this version stores them in', () => {
    const latest = versions().at(-1) ?? '';
    expect(
      currentShape(),
      'What is stored of a run has changed: record it, as docs/decisions/068-recorded-runs.md says',
    ).toBe(shapeOf(latest));
  });

  test('a run of a newer version is left as it is, and said once', async () => {
    const scene = scenesOf('v1').find(({ name }) => name === 'v1 words at step:user_input#1');
    if (!scene) throw new Error('no such moment');
    const newer = JSON.stringify(scene.rows).replaceAll('\\"schemaVersion\\":1', '\\"schemaVersion\\":99');
    await writeRows(folder, [JSON.parse(newer) as Rows], systemClock);
    const storage = await openStorage({ folder, clock: systemClock });
    const log: string[] = [];
    const runs = stageOver(storage, { log: (line) => log.push(line) });
    const run = () => storage.runs.listRuns(ANNE, { conversationId: scene.conversationId, limit: 1 })[0];
    const before = run();
    try {
      await runs.start();
      await eventually(() => log.length > 0);
      await runs.cancel(ANNE, before?.id ?? '');
      expect(log).toEqual([expect.stringContaining('begun by a newer Toolyard')]);
      expect(run()).toEqual(before);
      const free = { owner: 'newer', ms: 1_000 };
      await eventually(() => storage.runs.takeOver(free, 1).length === 1, { what: 'the lease to be given back' });
      expect(await eventsOf(storage, scene.conversationId)).toEqual([[]]);
    } finally {
      await runs.close();
      storage.close();
    }
  });
});

describeOnDatabases('runs an earlier version has stored, in PostgreSQL', (cluster) => {
  test.each(versions())(
    '%s: all are read, and those under way are taken up and end as they should',
    async (version) => {
      const scenes = scenesOf(version);
      await writeRows(
        folder,
        scenes.map(({ rows }) => rows),
        systemClock,
      );
      const url = await cluster().createDatabase();
      await copyStorage({ folder }, { url }, { clock: systemClock });
      const storage = await openStorage({ url, clock: systemClock });
      try {
        await replay(storage, scenes);
      } finally {
        await storage.close();
      }
    },
  );
});
