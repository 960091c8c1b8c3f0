import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '@toolyard/testing/postgres';
import { createRandom } from '@toolyard/testing';
import type { Death, LivesDatabase } from '../support/lives.ts';
import { Lives } from '../support/lives.ts';
import { applied, misspelt } from '../support/transcript.ts';
import type { Story } from './story.ts';
import { doubled, effectsBeyondConsent, misnumbered, toldIn } from './story.ts';
import { RAISED, Witness } from './witness.ts';

/** Where the torture takes place: a fresh data folder for each death, or a fresh database. */
export type Engine = { name: 'sqlite' } | { name: 'postgres'; cluster: Cluster };

/**
 * What came of one death. `reached`: false where the run was over before, as may be where the clock has its say. `told`:
 * the transcript and the questions that were answered, besides those about calls in doubt.
 */
type Ordeal = { reached: boolean; passed: string[]; told: string[]; problems: string[] };

/** A death to come, and what is told where there is none. */
export type Planned = { story: Story; death: Death; told: readonly string[] };

/** Tells each story once; all the deaths there are in them. */
export async function plan(engine: Engine, stories: readonly Story[]): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const [index, story] of stories.entries()) {
    const { passed, told, problems } = await endure(engine, story, null);
    if (problems.length > 0) throw new Error(`${story.name}, undisturbed: ${problems.join('; ')}`);
    // Up to the first question every story is the same.
    const deaths = index === 0 ? deathsIn(passed) : deathsIn(passed).slice(passed.indexOf('create-run:begun'));
    planned.push(...deaths.map((death) => ({ story, death, told })));
  }
  return planned;
}

/** What is wrong after this death; null where it was not reached, and nothing is. */
export async function attempt(
  engine: Engine,
  { story, death, told: undisturbed }: Planned,
): Promise<readonly string[] | null> {
  let ordeal: Ordeal;
  try {
    ordeal = await endure(engine, story, death);
  } catch (thrown) {
    return [String(thrown)];
  }
  const { problems, told, reached } = ordeal;
  if (!isDeepStrictEqual(told, undisturbed)) return [...problems, `told: ${told.join(' | ')}`];
  return problems.length === 0 && !reached ? null : problems;
}

/** A run that dies at most once, and is seen through; everything that is wrong afterwards. */
async function endure(engine: Engine, story: Story, death: Death | null): Promise<Ordeal> {
  const database = engine.name === 'postgres' ? { url: await engine.cluster.createDatabase() } : undefined;
  const { contextWindow, tools } = story;
  await using lives = await Lives.with(story.script, {
    everyCall: true,
    askUser: true,
    ...(database ? { database } : {}),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(tools ? { tools } : {}),
  });
  const witness = new Witness(story, lives);
  let reached = false;
  let sent = 0;
  if (death) {
    const first = await lives.start(death).catch(() => null);
    const end = first === null ? 'cut' : await witness.goOn(first.url);
    reached = end === 'cut';
    await first?.end();
    sent = reached ? await callsSent(lives, engine, database) : 0;
  }
  const last = await lives.startHere();
  const end = await witness.goOn(last.url);
  const { page, activeRun, interrupts, queue, configuration } = await witness.view(last.url);
  const answered = await witness.answered(last.url);
  await last.end();

  const events = witness.events.flat();
  const [doubts, decided] = partition(answered, ({ interrupt }) => interrupt.kind === 'in_doubt');
  const budgets = configuration.budgets ?? [];
  const problems = [
    ...(end === 'over' ? [] : ['the last life was cut short']),
    ...(activeRun === null && interrupts.length === 0 && queue.length === 0 ? [] : ['something is still going on']),
    ...witness.events.flatMap(misnumbered),
    ...doubled(events),
    ...misspelt(events).map((id) => `the message ${id} is not what its deltas spell`),
    ...(isDeepStrictEqual(applied(events), page.messages) ? [] : ['whoever applies the events has another transcript']),
    ...effectsBeyondConsent(story.calls, lives.made, answered),
    ...(budgets.every(({ calls }) => calls === RAISED) ? [] : ['the raised budget was not kept']),
    ...witness.refused.map((words) => `refused: ${words}`),
    ...(doubts.length === sent
      ? []
      : [`${sent} calls were sent and unanswered, and ${doubts.length} were asked about`]),
    ...lives.faults.map((fault) => `the model was sent a malformed history: ${fault}`),
    ...(await lives.damage()),
  ];
  const answers = decided.map(({ interrupt, answer }) => `${interrupt.kind}: ${JSON.stringify(answer)}`);
  return { reached, passed: lives.passed, told: [...toldIn(page.messages), ...answers.sort()], problems };
}

/** Every place an undisturbed run passes, each as often as it does. */
function deathsIn(passed: readonly string[]): Death[] {
  const hits = new Map<string, number>();
  return passed.map((place) => {
    const hit = (hits.get(place) ?? 0) + 1;
    hits.set(place, hit);
    return { place, hit };
  });
}

/** `count` of them, chosen by the seed, in their order. */
export function sampleOf<T>(deaths: readonly T[], count: number, seed: number): T[] {
  const random = createRandom(seed);
  const order = deaths.map((death, index) => ({ death, index, key: random() }));
  const chosen = order.toSorted((a, b) => a.key - b.key).slice(0, count);
  return chosen.toSorted((a, b) => a.index - b.index).map(({ death }) => death);
}

/** How many calls the ledger says were sent and not answered when the process died. */
async function callsSent(lives: Lives, engine: Engine, database: LivesDatabase | undefined): Promise<number> {
  const statement = "SELECT count(*) AS sent FROM tool_ledger WHERE status = 'sent'";
  if (engine.name === 'postgres' && database) {
    try {
      const [row] = await engine.cluster.query(database.url, statement);
      return Number(row?.['sent']);
    } catch {
      // It died before there were tables.
      return 0;
    }
  }
  try {
    const db = new DatabaseSync(join(lives.dataDir, 'toolyard.db'));
    try {
      return Number(db.prepare(statement).get()?.['sent']);
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
