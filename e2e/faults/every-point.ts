import { isDeepStrictEqual } from 'node:util';
import { createRandom } from '@toolyard/testing';
import type { Fault } from '../support/server-instances.ts';
import { ServerInstances } from '../support/server-instances.ts';
import { transcriptWithoutCounts } from '../support/transcript.ts';
import type { Engine } from './run-with-faults.ts';
import { databaseOn, isDoubt, runWithFaults } from './run-with-faults.ts';
import type { Scenario } from './scenario.ts';
import { RAISED, ScenarioUser } from './scenario-user.ts';
import { taskOfRequest } from './scenarios.ts';

/** A fault to inject, and the transcript without faults. */
export type PlannedFault = { scenario: Scenario; fault: Fault; transcript: readonly string[] };

/** Runs each scenario once without faults, and plans a fault for each point at which something is done or stored. */
export async function planEveryPoint(engine: Engine, scenarios: readonly Scenario[]): Promise<PlannedFault[]> {
  const planned: PlannedFault[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const { passed, transcript, problems } = await runOnce(engine, scenario, null);
    if (problems.length > 0) throw new Error(`${scenario.name}, without faults: ${problems.join('; ')}`);
    // Up to the first interrupt all scenarios are the same.
    const faults = index === 0 ? faultsAt(passed) : faultsAt(passed).slice(passed.indexOf('create-run:begun'));
    planned.push(...faults.map((fault) => ({ scenario, fault, transcript })));
  }
  return planned;
}

/** What is wrong after this fault; null if it was not reached, and nothing is. */
export async function inject(
  engine: Engine,
  { scenario, fault, transcript }: PlannedFault,
): Promise<readonly string[] | null> {
  try {
    const { problems, transcript: toldAfter, reached } = await runOnce(engine, scenario, fault);
    if (!isDeepStrictEqual(toldAfter, transcript)) return [...problems, `transcript: ${toldAfter.join(' | ')}`];
    return problems.length === 0 && !reached ? null : problems;
  } catch (thrown) {
    return [String(thrown)];
  }
}

type Once = { reached: boolean; passed: string[]; transcript: string[]; problems: string[] };

/** `transcript`: messages and answered interrupts, except those about calls in doubt. */
async function runOnce(engine: Engine, scenario: Scenario, fault: Fault | null): Promise<Once> {
  const { contextWindow, tools } = scenario;
  await using database = await databaseOn(engine);
  await using lives = await ServerInstances.with(scenario.script, {
    everyCall: true,
    askUser: true,
    ...(scenario.delegates ? { delegates: true, getUsageKey: taskOfRequest } : {}),
    // Reported tokens would fill a known context window.
    reportsUsage: contextWindow === undefined,
    ...database.options,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(tools ? { tools } : {}),
  });
  const user = new ScenarioUser(scenario, lives);
  const faults = fault === null ? [] : [fault];
  const { reached, passed, view, answered, problems } = await runWithFaults({ lives, user, faults });
  const budgets = view.configuration.budgets ?? [];
  const answers = answered
    .filter((each) => !isDoubt(each))
    .map(({ interrupt, answer }) => `${interrupt.kind}: ${JSON.stringify(answer)}`);
  return {
    reached,
    passed,
    transcript: [...transcriptWithoutCounts(view.page.messages), ...answers.sort()],
    problems: [
      ...problems,
      ...(budgets.every(({ calls: limit }) => limit === RAISED) ? [] : ['the raised budget was not kept']),
      ...user.refused.map((words) => `rejected: ${words}`),
    ],
  };
}

/** A fault at every point that the run without faults passes, as often as it passes it. */
function faultsAt(passed: readonly string[]): Fault[] {
  const hits = new Map<string, number>();
  return passed.map((place) => {
    const hit = (hits.get(place) ?? 0) + 1;
    hits.set(place, hit);
    return { place, hit };
  });
}

/** `count` of them, chosen by the seed, in their order. */
export function pickSample<T>(faults: readonly T[], count: number, seed: number): T[] {
  const random = createRandom(seed);
  const order = faults.map((fault, index) => ({ fault, index, key: random() }));
  const chosen = order.toSorted((a, b) => a.key - b.key).slice(0, count);
  return chosen.toSorted((a, b) => a.index - b.index).map(({ fault }) => fault);
}
