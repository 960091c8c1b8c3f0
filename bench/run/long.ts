import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { connectBareServer } from '../loop/bare-server.ts';
import { createBareLoop } from '../loop/contenders/baseline.ts';
import { PROVIDER } from '../mock-model/start.ts';
import type { Api } from '../harness/api.ts';
import { createApi } from '../harness/api.ts';
import { EVERYTHING } from '../harness/everything.ts';
import { median } from '../harness/quantile.ts';
import type { ServerProcess } from '../harness/server.ts';
import type { Context } from './serve.ts';
import { serve } from './serve.ts';

/** A turn has two steps: the model request, and the call. */
const STEPS_IN_TURN = 2;
const EARLY_STEP = 10;
const LATE_STEP = 1_000;
/** Neighbouring turns that are averaged with the measured one. */
const AROUND = 4;
/** Processor time is reported in steps too coarse for a few turns. */
const AROUND_FOR_CPU = 20;
const TURNS = LATE_STEP / STEPS_IN_TURN + AROUND_FOR_CPU + 1;
/** The first run is a warm-up. */
const WARM_UP_RUNS = 1;

/**
 * A run of over 1,000 steps: cost of a turn at the end compared with the start. The request grows with every turn for any
 * client, so the target is relative to the growth of a bare loop in the same rounds.
 */
export async function measureLong(context: Context): Promise<Figure[]> {
  const runs = context.options.quick ? 3 : 10;
  await using server = await serve(context, 'long', { mcpServers: { everything: EVERYTHING }, args: ['--no-date'] });
  const api = createApi(server.url);
  await using bare = await openBareLoop(context.mock.baseUrl);
  const early: number[] = [];
  const late: number[] = [];
  const cpuRatios: number[] = [];
  const bareEarly: number[] = [];
  const bareLate: number[] = [];
  for (let run = -WARM_UP_RUNS; run < runs; run++) {
    context.say(run < 0 ? 'warming up' : `run ${String(run + 1)} of ${String(runs)}`);
    const { turns, earlyCpuMs, lateCpuMs } = await measureTurns(api, server);
    const bareTurns = await bare.turns();
    if (run < 0) continue;
    early.push(around(turns, EARLY_STEP));
    late.push(around(turns, LATE_STEP));
    bareEarly.push(around(bareTurns, EARLY_STEP));
    bareLate.push(around(bareTurns, LATE_STEP));
    cpuRatios.push(lateCpuMs / earlyCpuMs);
  }
  const wallRatios = toRatios(late, early);
  const bareRatios = toRatios(bareLate, bareEarly);
  const measure = `a turn at step ${String(LATE_STEP)}`;
  return [
    sampled(`${measure} compared with step ${String(EARLY_STEP)}`, wallRatios, 'times', {
      of: { earlyMs: median(early), lateMs: median(late), runs },
    }),
    sampled('the same in a bare loop', bareRatios, 'times', {
      of: { earlyMs: median(bareEarly), lateMs: median(bareLate) },
    }),
    sampled('growth compared with that of the bare loop', toRatios(wallRatios, bareRatios), 'times', { atMost: 1.2 }),
    sampled('the same in processor time of the server', cpuRatios, 'times'),
    sampled(measure, late, 'ms'),
  ];
}

function toRatios(values: readonly number[], bases: readonly number[]): number[] {
  return values.map((value, run) => value / (bases[run] ?? Number.NaN));
}

function around(turns: readonly number[], step: number): number {
  return median(turns.slice(step / STEPS_IN_TURN - AROUND, step / STEPS_IN_TURN + AROUND + 1));
}

/** The loop of the baseline over its own server-everything, in this process; `turns`: of one run, in milliseconds. */
async function openBareLoop(baseUrl: string): Promise<AsyncDisposable & { turns(): Promise<number[]> }> {
  const mcp = await connectBareServer(EVERYTHING);
  const run = createBareLoop(baseUrl, mcp);
  return {
    async turns() {
      const turns: number[] = [];
      let before = performance.now();
      await run(`long-${String(TURNS)}`, () => {
        const now = performance.now();
        turns.push(turns.length === 0 ? Number.NaN : now - before);
        before = now;
      });
      return turns;
    },
    [Symbol.asyncDispose]: () => mcp.close(),
  };
}

type Turns = {
  /** Of each turn, as the reader sees it, in milliseconds. */
  turns: number[];
  /** Of the server, for the turns around the early step and around the late one. */
  earlyCpuMs: number;
  lateCpuMs: number;
};

async function measureTurns(api: Api, server: Pick<ServerProcess, 'begin' | 'load'>): Promise<Turns> {
  const conversation = await api.createConversation({
    model: { providerId: PROVIDER, modelId: `long-${String(TURNS)}` },
    limits: { maxTurns: TURNS + 1 },
  });
  const run = await api.send(conversation, 'Echo what you are asked to echo.');
  const turns: number[] = [];
  const cpu: Promise<number>[] = [];
  let before: bigint | null = null;
  const failures: unknown[] = [];
  const fail = (thrown: unknown): void => void failures.push(thrown);

  // Both windows have the same length; the early one starts with the early step.
  const early = EARLY_STEP / STEPS_IN_TURN;
  const late = LATE_STEP / STEPS_IN_TURN - AROUND_FOR_CPU;
  function watchCpu(turn: number): void {
    if (turn === early || turn === late) server.begin().catch(fail);
    if (turn === early + 2 * AROUND_FOR_CPU || turn === late + 2 * AROUND_FOR_CPU)
      cpu.push(server.load().then(({ cpuMs }) => cpuMs));
  }

  await api.read(run, (events, at) => {
    for (const event of events) {
      if (event.type === 'interrupt_requested') {
        api.answer(event.interrupt.id, { decision: 'approve', scope: 'always' }).catch(fail);
      } else if (event.type === 'tool_finished') {
        turns.push(before === null ? Number.NaN : Number(at - before) / 1e6);
        before = at;
        watchCpu(turns.length);
      } else if (event.type === 'run_finished' && event.status !== 'done') {
        fail(new Error(`the run ended as ${event.status}: ${event.error?.message ?? 'no reason'}`));
      }
    }
  });
  if (failures.length > 0) throw new Error('the run failed', { cause: failures[0] });
  if (turns.length !== TURNS) throw new Error(`${String(turns.length)} calls instead of ${String(TURNS)}`);
  const [earlyCpuMs = Number.NaN, lateCpuMs = Number.NaN] = await Promise.all(cpu);
  return { turns, earlyCpuMs, lateCpuMs };
}
