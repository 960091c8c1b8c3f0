import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Answer } from '../run/many.ts';
import type { Finding } from '../support/finding.ts';
import type { Load } from '../support/probe.ts';
import { median, quantile, quartiles } from '../support/quantile.ts';
import { TOKENS_A_SECOND } from '../support/words.ts';
import type { Context } from './context.ts';

const RUNS = 200;
const STARTING_MS = 4_000;
const MARGIN_MS = 2_000;
const WINDOW_MS = 2_000;
const TIMER_MS = 10;

/**
 * 200 conversations at 50 tokens a second each, each read by a reader of its own: how long a token is under way, what
 * each process spends, and what is stored for a token.
 */
export async function measureMany({ place, options, say, upstream }: Context): Promise<Finding[]> {
  const windows = options.quick ? 3 : 8;
  const tokens = ((STARTING_MS + 2 * MARGIN_MS + windows * WINDOW_MS) / 1000) * TOKENS_A_SECOND;
  const before = await place.storedBytes();
  say(`starting ${String(RUNS)} runs`);
  const answers: Answer[] = [];
  for (let started = 0; started < RUNS; started++) {
    const due = performance.now() + STARTING_MS / RUNS;
    answers.push(await Answer.begin(place.api, tokens));
    await sleep(Math.max(0, due - performance.now()));
  }
  await sleep(MARGIN_MS);
  say('all are under way; measuring');
  for (const answer of answers) answer.delays.length = 0;
  await upstream.cpuMs();
  const readersBefore = process.cpuUsage();
  const readersDelay = monitorEventLoopDelay({ resolution: TIMER_MS });
  readersDelay.enable();
  const loads: Load[][] = [];
  const [databaseBefore, begunAt] = [await place.databaseCpuMs(), performance.now()];
  for (let window = 0; window < windows; window++) {
    for (const server of place.servers) await server.begin();
    await sleep(WINDOW_MS);
    loads.push(await Promise.all(place.servers.map((server) => server.load())));
  }
  const databaseMs = (await place.databaseCpuMs()) - databaseBefore;
  const wallMs = performance.now() - begunAt;
  const delays = answers.flatMap((answer) => answer.delays);
  readersDelay.disable();
  const readers = process.cpuUsage(readersBefore);
  const upstreamMs = await upstream.cpuMs();
  say('waiting for their ends');
  await Promise.all(answers.map(({ ended }) => ended));
  const faults = answers.flatMap((answer) => answer.faults());
  for (const fault of faults.slice(0, 5)) say(fault);
  const bytes = (await place.storedBytes()) - before;

  const part = `${place.name}: many`;
  const cpu = place.servers.map((_server, index) =>
    median(loads.map((each) => percentOf(each[index])).filter(Number.isFinite)),
  );
  const loop = loads.map((each) => Math.max(...each.map(({ delayMs }) => delayMs.p99)));
  return [
    {
      part,
      measure: `${String(RUNS)} runs at 50 tokens a second: runs read wrongly`,
      value: faults.length,
      unit: '',
      atMost: 0,
    },
    {
      part,
      measure: 'a token, from upstream to reader, 99th percentile',
      value: quantile(delays, 0.99),
      unit: 'ms',
      atMost: 50,
      of: { tokens: delays.length },
    },
    { part, measure: 'the same, median', value: quantile(delays, 0.5), unit: 'ms', quartiles: quartiles(delays) },
    {
      part,
      measure: 'delay of the event loop, 99th percentile, the slowest process',
      value: median(loop),
      unit: 'ms',
      quartiles: quartiles(loop),
    },
    {
      part,
      measure: 'the bench itself: delay of the event loop all readers share, 99th percentile',
      value: Math.max(0, readersDelay.percentile(99) / 1e6 - TIMER_MS),
      unit: 'ms',
      of: {
        readersPercent: (readers.user + readers.system) / 10 / wallMs,
        upstreamPercent: (100 * upstreamMs) / wallMs,
      },
    },
    ...cpu.map((value, index): Finding => ({
      part,
      measure: `processor time, process ${String(index + 1)} of ${String(cpu.length)}, of one core`,
      value,
      unit: '%',
    })),
    ...(databaseMs > 0
      ? [
          {
            part,
            measure: 'processor time of the database, of one core',
            value: (100 * databaseMs) / wallMs,
            unit: '%',
          },
        ]
      : []),
    {
      part,
      measure: 'processor time of them all for a thousand tokens',
      value: (10 * (sum(cpu) + (100 * databaseMs) / wallMs)) / ((RUNS * TOKENS_A_SECOND) / 1000),
      unit: 'ms',
    },
    { part, measure: 'bytes stored a token', value: bytes / (RUNS * tokens), unit: 'B' },
  ];
}

function percentOf(load: Load | undefined): number {
  return load === undefined ? Number.NaN : (100 * load.cpuMs) / load.wallMs;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
