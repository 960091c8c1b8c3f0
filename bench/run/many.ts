import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { MockModel } from '../mock-model/start.ts';
import { TOKENS_A_SECOND } from '../mock-model/texts.ts';
import type { Api } from '../harness/api.ts';
import type { Load } from '../harness/probe.ts';
import { median, quantile } from '../harness/quantile.ts';
import { SteadyAnswer } from './steady-answer.ts';

const RUNS = 200;
/** From the first to the last run; tokens start at once. */
const STARTING_MS = 4_000;
const MARGIN_MS = 2_000;
const TIMER_MS = 10;

/** A process whose CPU time is measured in windows. */
export type Measured = { begin(): Promise<void>; load(): Promise<Pick<Load, 'wallMs' | 'cpuMs'> & Partial<Load>> };

export type Many = Pick<Bench, 'say'> & {
  api: Api;
  mock: MockModel;
  servers: Readonly<Record<string, Measured>>;
  /** Other processes that are measured at the same time. */
  others: Readonly<Record<string, Measured>>;
  windows: { count: number; ms: number };
  goals: { cpuPercent?: number; loopDelayMs?: number; tokenP99Ms?: number };
};

export type ManyMeasured = {
  figures: Figure[];
  /** In percent of one core, by process. */
  cpuPercent: ReadonlyMap<string, number>;
  tokens: number;
};

/**
 * 200 conversations with 50 tokens per second and one reader each. Measures the time in which all are in progress, and
 * compares received with sent text.
 */
export async function measureMany({ api, mock, servers, others, windows, goals, say }: Many): Promise<ManyMeasured> {
  const tokensEach = ((STARTING_MS + 2 * MARGIN_MS + windows.count * windows.ms) / 1000) * TOKENS_A_SECOND;
  const answers: SteadyAnswer[] = [];
  say(`starting ${String(RUNS)} runs`);
  for (let started = 0; started < RUNS; started++) {
    const due = performance.now() + STARTING_MS / RUNS;
    answers.push(await SteadyAnswer.begin(api, tokensEach));
    await sleep(Math.max(0, due - performance.now()));
  }
  await sleep(MARGIN_MS);

  say(`all are in progress; measuring ${String((windows.count * windows.ms) / 1000)} s`);
  for (const answer of answers) answer.delays.length = 0;
  await mock.report();
  const ownBefore = process.cpuUsage();
  using readersDelay = monitorDelay();
  const begunAt = performance.now();
  const measured = new Map(Object.entries({ ...servers, ...others }));
  const loads = new Map<string, Awaited<ReturnType<Measured['load']>>[]>(
    [...measured.keys()].map((name) => [name, []]),
  );
  for (let window = 0; window < windows.count; window++) {
    for (const process of measured.values()) await process.begin();
    await sleep(windows.ms);
    for (const [name, process] of measured) loads.get(name)?.push(await process.load());
  }
  const wallMs = performance.now() - begunAt;
  const own = process.cpuUsage(ownBefore);
  const modelPercent = (100 * (await mock.report()).cpuMs) / wallMs;
  const delays = answers.flatMap((answer) => answer.delays);

  say('waiting until they end');
  await Promise.all(answers.map(({ ended }) => ended));
  const faults = answers.flatMap((answer) => answer.faults());
  for (const fault of faults.slice(0, 5)) say(fault);

  const cpuPercent = new Map(
    [...loads].map(([name, each]) => [name, median(each.map((load) => (100 * load.cpuMs) / load.wallMs))]),
  );
  const slowest = (of: (load: Partial<Load>) => number | undefined): number[] =>
    Array.from({ length: windows.count }, (_none, window) =>
      Math.max(...Object.keys(servers).map((name) => of(loads.get(name)?.[window] ?? {}) ?? 0)),
    );
  const loopGoal = goals.loopDelayMs === undefined ? {} : { atMost: goals.loopDelayMs };
  const tokenGoal = goals.tokenP99Ms === undefined ? {} : { atMost: goals.tokenP99Ms };
  const cpuGoal = goals.cpuPercent === undefined ? {} : { atMost: goals.cpuPercent };
  const figures = [
    figure(`${String(RUNS)} runs at 50 tokens a second: runs read wrongly`, faults.length, '', { atMost: 0 }),
    sampled('a token, from upstream to reader', delays, 'ms', { of: { tokens: delays.length } }),
    figure('the same, 99th percentile', quantile(delays, 0.99), 'ms', tokenGoal),
    sampled(
      'delay of the event loop, 99th percentile, the slowest process',
      slowest(({ delayMs }) => delayMs?.p99),
      'ms',
      {
        ...loopGoal,
        of: {
          medianMs: median(slowest(({ delayMs }) => delayMs?.median)),
          maxMs: Math.max(...slowest(({ delayMs }) => delayMs?.max)),
        },
      },
    ),
    sampled(
      'the same without the time other processes took',
      slowest(({ ownDelayMs }) => ownDelayMs),
      'ms',
      loopGoal,
    ),
    ...[...cpuPercent].map(([name, value]) =>
      figure(`processor time of ${name}, of one core`, value, '%', name in servers ? cpuGoal : {}),
    ),
    ...Object.keys(others).flatMap((name) => {
      const idle = (loads.get(name) ?? []).flatMap(({ delayMs }) => delayMs?.p99 ?? []);
      return idle.length === 0 ? [] : [sampled(`delay of the event loop of ${name}`, idle, 'ms')];
    }),
    figure('the bench itself: delay of the event loop all readers share, 99th percentile', readersDelay.p99(), 'ms', {
      of: { readersPercent: (own.user + own.system) / 10 / wallMs, modelPercent },
    }),
  ];
  return { figures, cpuPercent, tokens: RUNS * tokensEach };
}

function monitorDelay(): Disposable & { p99(): number } {
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  return {
    p99: () => Math.max(0, delay.percentile(99) / 1e6 - TIMER_MS),
    [Symbol.dispose]: () => void delay.disable(),
  };
}
