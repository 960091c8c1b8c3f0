import { beforeAll, expect, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import type { PlannedFault } from './every-point.ts';
import { inject, planEveryPoint, pickSample } from './every-point.ts';
import type { Engine } from './run-with-faults.ts';
import { LONG, SCENARIOS, TASKS } from './scenarios.ts';

/** For one point of each scenario. A safety net: each wait has a deadline of its own. */
const TIMEOUT_MS = 120_000;

const TRANSCRIPTS: Readonly<Record<string, readonly string[]>> = {
  counting: [
    'user: Count, please.',
    'assistant: Let me count. count {"n":1} count {"n":2} (tool_calls)',
    'tool: counted (done)',
    'tool: counted (done)',
    'assistant:  count {"n":3} (tool_calls)',
    'tool: counted (done)',
    'assistant: I have counted all there was, as you asked me to do. (stop)',
    'user: And once more.',
    'assistant: Again. count {"n":4} (tool_calls)',
    'tool: counted (done)',
    'assistant: That was once more. (stop)',
    'approval: {"decision":"approve","scope":"conversation"}',
    'approval: {"decision":"approve","scope":"conversation"}',
  ],
  talking: [
    `user: Paint the house. ${LONG}`,
    'assistant: Two questions first. ask_user {"question":"Which city?"} ask_user {"question":"Which colour?","choices":["red","green"]} (tool_calls)',
    'tool: Bern (done)',
    'tool: green (done)',
    'user: Be quick.',
    'assistant: One. count {"n":1} (tool_calls)',
    'tool: counted (done)',
    `user: Tell me all of it. ${LONG}`,
    `assistant: Two and three, ${LONG} count {"n":2} count {"n":3} (tool_calls)`,
    'tool: counted (done)',
    'tool: counted (done)',
    'system: A house is to be painted green, in Bern.',
    'assistant: In Bern, in green, counted to three. (stop)',
    'budget: {"decision":"raise","limit":50,"scope":"conversation"}',
    'prompt: {"decision":"say","text":"Bern"}',
    'selection: {"decision":"choose","chosen":["green"]}',
  ],
  delegating: [
    'user: Share the work.',
    `assistant: Sharing. delegate_task ${JSON.stringify({ tasks: TASKS })} (tool_calls)`,
    'tool: ## 1. Counter\n\nCounted.\n\n## 2. Reader\n\nIt was to share the work.\n\n## 3. Asker\n\nIt is Bern. (done)',
    'assistant: The work is done. (stop)',
    'prompt: {"decision":"say","text":"Bern"}',
  ],
  grouping: [
    'user: Talk it over.',
    'assistant: You two first. broadcast {"members":["Ada","Bob"],"instruction":"Begin."} (tool_calls)',
    'tool: Ada answered: see the message of Ada that follows.\nBob answered: see the message of Bob that follows. (done)',
    'assistant: I have counted. (stop)',
    'assistant: It was to begin. (stop)',
    'assistant:  speak {"member":"Cy","private":true} (tool_calls)',
    'tool: Cy answered: see the message of Cy that follows. (done)',
    'assistant: It is Bern. (stop)',
    'assistant: All is said. (stop)',
    'prompt: {"decision":"say","text":"Bern"}',
  ],
};

/**
 * Tests: each of the scenarios (default: all) has its transcript, and the same one if the server is killed at `sample` of
 * its points.
 */
export function testEveryPoint(engine: () => Engine, sample: number, names = Object.keys(TRANSCRIPTS)): void {
  let planned: PlannedFault[];
  beforeAll(async () => {
    planned = await planEveryPoint(
      engine(),
      SCENARIOS.filter(({ name }) => names.includes(name)),
    );
  });

  it.each(Object.entries(TRANSCRIPTS).filter(([name]) => names.includes(name)))(
    'without faults, the scenario "%s" has the whole transcript',
    (name, transcript) => {
      expect(planned.find(({ scenario }) => scenario.name === name)?.transcript).toEqual(transcript);
    },
  );

  it(
    `killed at ${sample} of the points of each scenario (TOOLYARD_SEED=${TEST_SEED}), has the same transcript`,
    { timeout: sample * TIMEOUT_MS },
    async () => {
      const wrong: unknown[] = [];
      for (const name of names) {
        const ofScenario = planned.filter(({ scenario }) => scenario.name === name);
        for (const one of pickSample(ofScenario, sample, TEST_SEED)) {
          const problems = (await inject(engine(), one)) ?? [];
          if (problems.length > 0) wrong.push({ name, fault: one.fault, problems });
        }
      }
      process.stdout.write(`every point: ${engine().name}, TOOLYARD_SEED=${TEST_SEED}: ${sample} of each scenario\n`);
      expect(wrong).toEqual([]);
    },
  );
}
