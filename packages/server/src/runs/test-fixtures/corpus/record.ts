import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { ANNE } from '../setup.ts';
import type { RecordedMoment, Recording } from './recording.ts';
import { NAMES, readRows } from './recording.ts';
import { readOutcome, playUsers, openScenarioStage, getScenario } from './stage.ts';

/** Plays a scenario and records the stored rows in its middle, and at its end. */
export async function recordScenario(name: string): Promise<Recording> {
  const scenario = getScenario(name);
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-recording-'));
  const moments: RecordedMoment[] = [];
  const keep = (at: string): void => void moments.push({ at, rows: readRows(folder) });
  try {
    let storage = await openStorage({ folder, clock: systemClock });
    let died = false;
    const failpoint = (place: string): void => {
      if (died) throw new Error('the process has died');
      keep(place);
      if (place !== scenario.diesAt) return;
      died = true;
      storage.close();
      throw new Error('the process dies');
    };
    let runs = openScenarioStage(storage, { failpoint });
    const configuration = toJson({ ...scenario.configuration, model: { providerId: 'corpus', modelId: name } });
    await storage.conversations.create(ANNE, {
      id: NAMES.conversation,
      title: '',
      configuration,
      at: systemClock.now(),
    });
    await runs.start();
    const [first = '', second] = scenario.userMessages;
    const userMessage = (text: string, id: string) => ({ parts: [{ type: 'text' as const, text }], id });
    await runs.send(ANNE, NAMES.conversation, userMessage(first, NAMES.run));
    if (second !== undefined) await runs.send(ANNE, NAMES.conversation, userMessage(second, NAMES.queued));
    if (scenario.diesAt !== undefined) {
      await eventually(() => died, { what: `reaching ${scenario.diesAt}` });
      await runs.close();
      storage = await openStorage({ folder, clock: systemClock });
      runs = openScenarioStage(storage, { failpoint: keep });
      await runs.start();
    }
    await playUsers({ storage, runs, onMoment: keep }, new Map([[NAMES.conversation, scenario]]));
    const over = { at: 'over', rows: readRows(folder) };
    const ending = await readOutcome(storage, NAMES.conversation);
    await runs.close();
    storage.close();
    return { story: name, ...ending, moments: [...getMiddle(moments), over] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is stored while the user is asked; if they are not, in the middle of the run. */
function getMiddle(moments: readonly RecordedMoment[]): RecordedMoment[] {
  const asked = moments.findIndex(({ at }) => at === 'person:asked');
  return moments.slice(asked === -1 ? Math.floor(moments.length / 2) : asked).slice(0, 1);
}

function toJson(configuration: AgentConfiguration): JsonObject {
  return JSON.parse(JSON.stringify(configuration)) as JsonObject;
}
