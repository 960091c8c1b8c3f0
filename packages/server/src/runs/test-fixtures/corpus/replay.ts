import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Message, RunEvent } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { runEvent } from '@toolyard/protocol/schemas';
import type { SharedStorage } from '@toolyard/storage';
import { copyStorage, openStorage } from '@toolyard/storage';
import { ANNE } from '../setup.ts';
import { listRecordings } from './corpus.ts';
import type { Recording, Rows } from './recording.ts';
import { NAMES, renamed, writeRows } from './recording.ts';
import { readOutcome, playUsers, openScenarioStage, getScenario } from './stage.ts';

/** A recorded moment with its own ids. */
export type ReplayCase = {
  name: string;
  story: string;
  recording: Recording;
  rows: Rows;
  conversationId: string;
  isOver: boolean;
};

export function replayCases(version: string): ReplayCase[] {
  return listRecordings(version).flatMap((recording) =>
    recording.moments.map(({ at, rows }, index) => {
      const suffix = `-${recording.story}-${index}`;
      return {
        name: `${version} ${recording.story} at ${at}`,
        story: recording.story,
        recording,
        rows: renamed(rows, suffix),
        conversationId: `${NAMES.conversation}${suffix}`,
        isOver: at === 'over',
      };
    }),
  );
}

/** The complete messages of a reader that applies the events of a run. */
function applied(events: readonly RunEvent[]): Map<string, Message> {
  const messages = new Map<string, Message>();
  for (const event of events) {
    if (event.type === 'run_started' || event.type === 'message_finished' || event.type === 'tool_finished') {
      messages.set(event.message.id, event.message);
    }
  }
  return messages;
}

export async function readEvents(storage: SharedStorage, conversationId: string): Promise<RunEvent[][]> {
  const runs = await storage.runs.listRuns(ANNE, { conversationId, limit: 99 });
  return Promise.all(runs.map(async ({ id }) => [...((await storage.runs.readEvents(ANNE, id, 0, 9_999)) ?? [])]));
}

/** Every event is valid in this version, none is missing, and together they result in the stored messages. */
async function expectReadable(storage: SharedStorage, { name, conversationId }: ReplayCase): Promise<void> {
  const branch = await storage.messages.branch(ANNE, conversationId);
  const messages = new Map<string, Message>();
  for (const events of await readEvents(storage, conversationId)) {
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

/** The end equals the recording, except for output after the moment; of a cancelled run only its status. */
async function expectRecordedEnd(storage: SharedStorage, scene: ReplayCase): Promise<void> {
  const { name, recording, rows, conversationId } = scene;
  const messageCount = (rows['runs']?.length ?? 0) + (rows['queued_messages']?.length ?? 0);
  const { statuses, told } = await readOutcome(storage, conversationId);
  expect(statuses, name).toEqual(recording.statuses.slice(0, messageCount));
  if (getScenario(recording.story).cancelled) return;
  expect(told, name).toEqual(upToUserMessage(messageCount, recording.told));
}

function upToUserMessage(count: number, transcript: readonly string[]): string[] {
  let userMessages = 0;
  return transcript.filter((line) => (userMessages += line.startsWith('user: ') ? 1 : 0) <= count);
}

/** Opens all recorded moments side by side, and resumes the runs that have not ended. */
async function replay(storage: SharedStorage, scenes: readonly ReplayCase[]): Promise<void> {
  for (const scene of scenes.filter(({ isOver }) => isOver)) {
    await expectReadable(storage, scene);
    await expectRecordedEnd(storage, scene);
  }
  const log: string[] = [];
  // A long lease: no failover, even if the machine suspends this process for a while.
  const runs = openScenarioStage(storage, { leaseMs: 300_000, log: (line) => log.push(line) });
  try {
    await runs.start();
    const open = scenes.filter(({ isOver }) => !isOver);
    const scenarios = open.map(
      ({ recording, conversationId }) => [conversationId, getScenario(recording.story)] as const,
    );
    await playUsers({ storage, runs }, new Map(scenarios));
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

/** Writes the recording to a data folder and replays it there, or in a database it is copied to. */
export async function expectReplayed(scenes: readonly ReplayCase[], url?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-corpus-'));
  try {
    await writeRows(
      folder,
      scenes.map(({ rows }) => rows),
      systemClock,
    );
    if (url !== undefined) await copyStorage({ folder }, { url }, { clock: systemClock });
    const storage =
      url === undefined
        ? await openStorage({ folder, clock: systemClock })
        : await openStorage({ url, clock: systemClock });
    try {
      await replay(storage, scenes);
    } finally {
      await storage.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
