import { beforeAll, expect, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { LONG, STORIES } from './stories.ts';
import type { Engine, Planned } from './torture.ts';
import { attempt, plan, sampleOf } from './torture.ts';

/** For one moment of each story. A safety net: each wait of the stories has a deadline of its own. */
const TIMEOUT_MS = 120_000;

const TOLD: Readonly<Record<string, readonly string[]>> = {
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
};

/** Tests: each story is told whole, and told the same when the server is killed at `sample` of its moments. */
export function tortures(engine: () => Engine, sample: number): void {
  let planned: Planned[];
  beforeAll(async () => {
    planned = await plan(engine(), STORIES);
  });

  it.each(Object.entries(TOLD))('undisturbed, the story "%s" is told whole', (name, told) => {
    expect(planned.find(({ story }) => story.name === name)?.told).toEqual(told);
  });

  it(
    `killed at ${sample} of the moments of each (TOOLYARD_SEED=${TEST_SEED}), it is told the same`,
    { timeout: sample * TIMEOUT_MS },
    async () => {
      const wrong: unknown[] = [];
      for (const name of Object.keys(TOLD)) {
        for (const one of sampleOf(
          planned.filter(({ story }) => story.name === name),
          sample,
          TEST_SEED,
        )) {
          const problems = (await attempt(engine(), one)) ?? [];
          if (problems.length > 0) wrong.push({ name, death: one.death, problems });
        }
      }
      process.stdout.write(`torture: ${engine().name}, TOOLYARD_SEED=${TEST_SEED}: ${sample} deaths in each story\n`);
      expect(wrong).toEqual([]);
    },
  );
}
