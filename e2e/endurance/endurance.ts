import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually, startModelServer } from '@toolyard/testing';
import type { Cluster } from '@toolyard/testing/postgres';
import type { ModelMessage } from '../support/server-instances.ts';
import { malformedHistory } from '../support/malformed-history.ts';
import type { History, ScheduleHistory, Span } from '../faults/history.ts';
import type { Verdict } from '../faults/judge.ts';
import { judge } from '../faults/judge.ts';
import type { Query } from '../faults/stored.ts';
import {
  countClaims,
  readFirings,
  readStored,
  readWrites,
  startRecording,
  subAgentConversations,
} from '../faults/stored.ts';
import { describeRunTrace } from '../faults/run-trace.ts';
import { ModelUsage } from '../support/model-usage.ts';
import { Fleet } from './fleet.ts';
import { SimulatedUsers } from './simulated-users.ts';
import type { TimedFault, Role } from './plan.ts';
import { planFaults } from './plan.ts';
import { readConversation, MEMBERS, script, remarksIn } from './load-scenario.ts';

export type EnduranceOptions = {
  cluster: Cluster;
  seed: number;
  /** Duration of fault injection; runs in progress may complete afterwards. */
  forMs: number;
  /** Processes by role; default: three with all roles. */
  roles?: readonly Role[];
  people?: number;
  /** Default: chosen by the seed. */
  faults?: readonly TimedFault[];
  /** Maximum failover time; default: the promised time on an idle machine. */
  failoverMs?: number;
  /** Maximum time from the last fault until everything has completed; default: five minutes. */
  restMs?: number;
  log: (line: string) => void;
};

export type EnduranceResult = Verdict & {
  /** Traces of the runs named in problems, line by line. */
  traces: ReadonlyMap<string, string[]>;
  faults: number;
  runs: number;
  /** Those of `runs` that are sub-agents or turns of members, and those that a schedule started. */
  subAgents: number;
  scheduled: number;
  events: number;
  calls: number;
  doubts: number;
  steered: number;
  received: number;
};

const PEOPLE = 6;
const ROLES: readonly Role[] = ['all', 'all', 'all'];
/** For ten minutes under load. */
const REST_MS = 300_000;
/** Time for processes to notice an outage and reconnect. */
const RECONNECT_MS = 1_500;

/** Runs many processes on one database under load and faults, then judges everything that was recorded. */
export async function runEndurance(options: EnduranceOptions): Promise<EnduranceResult> {
  const { cluster, seed, forMs, roles = ROLES, people: size = PEOPLE, log } = options;
  const random = createRandom(seed);
  const { faults = planFaults({ random, roles, forMs }) } = options;
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
      const conversation = readConversation(messages);
      // All runs of the schedule ask the same; their requests look the same.
      return conversation === '' ? script(messages) : usage.reply(conversation, script(messages));
    },
    { record: false },
  );
  await using fleet = await Fleet.start({ roles, databaseUrl: url, modelUrl: model.url, log: notUsual(log) });
  await startRecording(cluster, url);

  const giveUp = new AbortController();
  const stopAsking = new AbortController();
  const stopWatching = new AbortController();
  const people = new SimulatedUsers({ fleet, random, giveUp: giveUp.signal });
  const schedule = scheduleFor(forMs);
  await people.prepare(schedule);
  const working = Promise.all(Array.from({ length: size }, () => people.work(stopAsking.signal)));
  const watching = people.watch(AbortSignal.any([stopWatching.signal, giveUp.signal]));

  const outages = await deal(faults, { fleet, cluster, forMs, log });
  stopAsking.abort();
  log('the faults are over');
  const late = setTimeout(() => giveUp.abort(), options.restMs ?? REST_MS);
  await working;
  // No user waits for sub-agents of cancelled runs and for runs of the schedule.
  await eventually(
    async () =>
      giveUp.signal.aborted || ((await readFirings(query)).length >= schedule.times && (await allOver(query))),
    { what: 'the end of all runs', timeoutMs: options.restMs ?? REST_MS, everyMs: 250 },
  ).catch(() => undefined);
  clearTimeout(late);
  // The last events may still be in transit to the tab; the judge reports missing ones.
  await eventually(async () => people.tabHasRead((await readStored(query)).runs), {
    what: 'the last events in the tab',
  }).catch(() => undefined);
  stopWatching.abort();
  await watching;
  await fleet.close();

  const { failings, effects, counted } = fleet;
  const { asked, steered, readings, conversations } = people;
  const kept = await readStored(query);
  const children = await subAgentConversations(query);
  const conversationIds = new Map(
    children.map(({ id, title, parentRunId }) => {
      const isMember = MEMBERS.some((name) => name === title);
      return [isMember ? `${people.scenarioNames.get(parentRunId) ?? ''}~${title}` : title, id];
    }),
  );
  const requests = new Map([...usage.requests].map(([name, times]) => [conversationIds.get(name) ?? name, times]));
  const writes = await readWrites(query);
  const history: History = {
    ...{ ...kept, asked, steered, sentToModel, malformed, requests, readings, conversations },
    ...{ effects, counted, failings, outages },
    schedules: [{ ...schedule, firings: await readFirings(query) }],
    writes,
    interruptions: countClaims(kept.runs, writes),
  };
  const verdict = judge(history, options.failoverMs);
  const amiss = kept.runs.map(({ id }) => id).filter((id) => verdict.problems.some((problem) => problem.includes(id)));
  return {
    traces: new Map(amiss.map((id) => [id, describeRunTrace(history, id)])),
    failovers: verdict.failovers,
    problems: [
      ...verdict.problems,
      ...people.problems,
      ...(giveUp.signal.aborted ? ['not everything came to its end in time'] : []),
    ],
    faults: faults.length,
    runs: kept.runs.length,
    subAgents: children.length,
    scheduled: schedule.times,
    events: kept.runs.reduce((sum, { lastSeq }) => sum + lastSeq, 0),
    calls: kept.calls.length,
    steered: steered.length,
    received: [...kept.events.values()].flat().filter(({ type }) => type === 'steered').length,
    doubts: kept.interrupts.filter(({ kind }) => kind === 'in_doubt').length,
  };
}

/** Due about a hundred times while faults are injected, at most once a second. */
function scheduleFor(forMs: number): Pick<ScheduleHistory, 'id' | 'seconds' | 'times'> {
  const seconds = Math.max(1, Math.ceil(forMs / 100_000));
  return { id: 'tick', seconds, times: Math.max(1, Math.floor(forMs / 1_000 / seconds)) };
}

async function allOver(query: Query): Promise<boolean> {
  const open = await query("SELECT id FROM runs WHERE status NOT IN ('done', 'failed', 'cancelled') LIMIT 1");
  return open.length === 0;
}

type Field = { fleet: Fleet; cluster: Cluster; forMs: number; log: (line: string) => void };

/** Injects all faults at their times; resolves after the last recovery. Returns the outages of the database. */
async function deal(faults: readonly TimedFault[], { fleet, cluster, forMs, log }: Field): Promise<Span[]> {
  const outages: Span[] = [];
  const startedAt = performance.now();
  // One restart of the database at a time.
  let database = Promise.resolve();
  const under = faults.map(async (fault) => {
    await sleep(fault.at);
    log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${getName(fault)}`);
    switch (fault.kind) {
      case 'kill':
      case 'leave':
        await fleet[fault.kind](fault.slot);
        await sleep(fault.ms);
        return fleet.revive(fault.slot);
      case 'stop':
        await fleet.stop(fault.slot);
        await sleep(fault.ms);
        return fleet.wake(fault.slot);
      case 'cut':
        await fleet.cut(fault.slot);
        await sleep(fault.ms);
        return fleet.mend(fault.slot);
      case 'deaf':
        fleet.deaf = true;
        await sleep(fault.ms);
        fleet.deaf = false;
        return;
      default: {
        const { kind, ms } = fault;
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

function getName(fault: TimedFault): string {
  const where = 'slot' in fault ? ` process ${String(fault.slot)}` : '';
  return `${fault.kind}${where} for ${String(fault.ms)} ms`;
}

/** Log lines except those about start and shutdown. */
function notUsual(log: (line: string) => void): (line: string) => void {
  return (line) => {
    if (!/toolyard: (data folder|shutting down|Use a database)|Ctrl-C/.test(line)) log(line);
  };
}
