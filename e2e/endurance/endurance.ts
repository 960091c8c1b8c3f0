import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually, startModelServer } from '@toolyard/testing';
import type { Cluster } from '@toolyard/testing/postgres';
import type { ModelMessage } from '../support/server-instances.ts';
import { malformedHistory } from '../support/malformed-history.ts';
import type { History, Span } from '../faults/history.ts';
import type { Verdict } from '../faults/judge.ts';
import { judge } from '../faults/judge.ts';
import { claimsOf, readStored, readWrites, startRecording } from '../faults/stored.ts';
import { describeRunTrace } from '../faults/run-trace.ts';
import { ModelUsage } from '../support/model-usage.ts';
import { Fleet } from './fleet.ts';
import { SimulatedUsers } from './simulated-users.ts';
import type { TimedFault, Role } from './plan.ts';
import { planFaults } from './plan.ts';
import { conversationOf, script, remarksIn } from './load-scenario.ts';

export type EnduranceOptions = {
  cluster: Cluster;
  seed: number;
  /** For so long blows fall; what is under way then may come to its end. */
  forMs: number;
  /** The processes, by what they are there for; default three that do all. */
  roles?: readonly Role[];
  people?: number;
  /** Default: drawn by the seed. */
  blows?: readonly TimedFault[];
  /** From when on a run that lies is late; default: what is promised of a machine that has nothing else to do. */
  failoverMs?: number;
  /** From the last blow until everything has come to its end; default: five minutes. */
  restMs?: number;
  log: (line: string) => void;
};

export type EnduranceResult = Verdict & {
  /** How it went with the runs that are named in a problem, line by line. */
  trails: ReadonlyMap<string, string[]>;
  blows: number;
  runs: number;
  events: number;
  calls: number;
  doubts: number;
  said: number;
  heard: number;
};

const PEOPLE = 6;
const ROLES: readonly Role[] = ['all', 'all', 'all'];
/** Of ten minutes under load. */
const REST_MS = 300_000;
/** What follows an outage: processes find out and connect again. */
const RECONNECT_MS = 1_500;

/** Many processes over one database, under load and under blows; then everything that was recorded is judged. */
export async function runEndurance(options: EnduranceOptions): Promise<EnduranceResult> {
  const { cluster, seed, forMs, roles = ROLES, people: size = PEOPLE, log } = options;
  const random = createRandom(seed);
  const { blows = planFaults({ random, roles, forMs }) } = options;
  const url = await cluster.createDatabase();
  const query = (statement: string) => cluster.query(url, statement);
  const malformed: string[] = [];
  const usage = new ModelUsage();
  const sentToModel = new Map<string, number>();
  await using model = await startModelServer(
    ({ body }) => {
      malformed.push(...malformedHistory(body));
      const { messages } = body as { messages: ModelMessage[] };
      for (const [text, times] of remarksIn(messages)) {
        sentToModel.set(text, Math.max(times, sentToModel.get(text) ?? 0));
      }
      return usage.reply(conversationOf(messages), script(messages));
    },
    { record: false },
  );
  await using fleet = await Fleet.start({ roles, databaseUrl: url, modelUrl: model.url, log: notUsual(log) });
  await startRecording(cluster, url);

  const giveUp = new AbortController();
  const stopAsking = new AbortController();
  const stopWatching = new AbortController();
  const people = new SimulatedUsers({ fleet, random, giveUp: giveUp.signal });
  const working = Promise.all(Array.from({ length: size }, () => people.work(stopAsking.signal)));
  const watching = people.watch(AbortSignal.any([stopWatching.signal, giveUp.signal]));

  const outages = await deal(blows, { fleet, cluster, forMs, log });
  stopAsking.abort();
  log('the blows are over');
  const late = setTimeout(() => giveUp.abort(), options.restMs ?? REST_MS);
  await working;
  clearTimeout(late);
  // What was told last may be under way to the tab; what never comes the judge finds missing.
  await eventually(async () => people.tabHasRead((await readStored(query)).runs), {
    what: 'the last events in the tab',
  }).catch(() => undefined);
  stopWatching.abort();
  await watching;
  await fleet.close();

  const { failings, effects, counted } = fleet;
  const { asked, said: steered, readings, conversations } = people;
  const kept = await readStored(query);
  const { requests } = usage;
  const writes = await readWrites(query);
  const history: History = {
    ...{ ...kept, asked, steered, sentToModel, malformed, requests, readings, conversations },
    ...{ effects, counted, failings, outages },
    writes,
    interruptions: claimsOf(kept.runs, writes),
  };
  const verdict = judge(history, options.failoverMs);
  const amiss = kept.runs.map(({ id }) => id).filter((id) => verdict.problems.some((problem) => problem.includes(id)));
  return {
    trails: new Map(amiss.map((id) => [id, describeRunTrace(history, id)])),
    failovers: verdict.failovers,
    problems: [
      ...verdict.problems,
      ...people.problems,
      ...(giveUp.signal.aborted ? ['not everything came to its end in time'] : []),
    ],
    blows: blows.length,
    runs: kept.runs.length,
    events: kept.runs.reduce((sum, { lastSeq }) => sum + lastSeq, 0),
    calls: kept.calls.length,
    said: steered.length,
    heard: [...kept.events.values()].flat().filter(({ type }) => type === 'steered').length,
    doubts: kept.questions.filter(({ kind }) => kind === 'in_doubt').length,
  };
}

type Field = { fleet: Fleet; cluster: Cluster; forMs: number; log: (line: string) => void };

/** Deals all blows at their times; resolves when the last is healed. Returns when the database was away. */
async function deal(blows: readonly TimedFault[], { fleet, cluster, forMs, log }: Field): Promise<Span[]> {
  const outages: Span[] = [];
  const begun = performance.now();
  // One restart of the database at a time.
  let database = Promise.resolve();
  const under = blows.map(async (blow) => {
    await sleep(blow.at);
    log(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${nameOf(blow)}`);
    switch (blow.kind) {
      case 'kill':
      case 'leave':
        await fleet[blow.kind](blow.slot);
        await sleep(blow.ms);
        return fleet.revive(blow.slot);
      case 'stop':
        await fleet.stop(blow.slot);
        await sleep(blow.ms);
        return fleet.wake(blow.slot);
      case 'cut':
        await fleet.cut(blow.slot);
        await sleep(blow.ms);
        return fleet.mend(blow.slot);
      case 'deaf':
        fleet.deaf = true;
        await sleep(blow.ms);
        fleet.deaf = false;
        return;
      default: {
        const { kind, ms } = blow;
        database = database.then(async () => {
          const from = Date.now();
          await cluster.stop(kind);
          await sleep(ms);
          await cluster.start();
          outages.push({ from, until: Date.now() + RECONNECT_MS });
        });
        return database;
      }
    }
  });
  await Promise.all([...under, sleep(forMs)]);
  return outages;
}

function nameOf(blow: TimedFault): string {
  const where = 'slot' in blow ? ` process ${String(blow.slot)}` : '';
  return `${blow.kind}${where} for ${String(blow.ms)} ms`;
}

/** Without what a process says of its start and its end. */
function notUsual(log: (line: string) => void): (line: string) => void {
  return (line) => {
    if (!/toolyard: (data in|ending|Use a database)|Ctrl-C/.test(line)) log(line);
  };
}
