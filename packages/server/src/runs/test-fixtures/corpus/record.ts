import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { ANNE } from '../bench.ts';
import type { RecordedMoment, Recording } from './recording.ts';
import { NAMES, readRows } from './recording.ts';
import { outcomeOf, playUsers, openScenarioStage, scenarioOf } from './stage.ts';

/** The first two moments of these are kept; of others the first. */
const STEP = /^(?:step:|person:)/;
/** Moments at which the stored rows equal those of another moment. */
const THE_SAME = new Set(['run:created', 'run:step', 'run:stepped', 'run:finished']);

/** Plays a scenario and records the stored rows at every moment at which a process may crash. */
export async function recordScenario(name: string): Promise<Recording> {
  const scenario = scenarioOf(name);
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-recording-'));
  const moments: RecordedMoment[] = [];
  const hits = new Map<string, number>();
  const keep = (place: string): void => {
    if (THE_SAME.has(place)) return;
    const hit = (hits.get(place) ?? 0) + 1;
    hits.set(place, hit);
    if (hit <= (STEP.test(place) ? 2 : 1)) moments.push({ at: `${place}#${hit}`, rows: readRows(folder) });
  };
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
    moments.push({ at: 'over', rows: readRows(folder) });
    const ending = await outcomeOf(storage, NAMES.conversation);
    await runs.close();
    storage.close();
    return { story: name, ...ending, moments };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toJson(configuration: AgentConfiguration): JsonObject {
  return JSON.parse(JSON.stringify(configuration)) as JsonObject;
}
