import { createRequire } from 'node:module';
import { median, quartiles } from '../support/quantile.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { Finding } from '../support/finding.ts';
import type { ServerProcess } from '../support/server.ts';
import { makeDataFolder } from '../support/server.ts';

/** A turn is two steps: the model's, and the call it asks for. */
const STEPS_IN_TURN = 2;
const EARLY_STEP = 10;
const LATE_STEP = 1_000;
/** Turns on either side that are taken together with the one that is meant: one alone is chance. */
const AROUND = 4;
/** Processor time is told in steps too coarse for a few turns. */
const AROUND_FOR_CPU = 20;
const TURNS = LATE_STEP / STEPS_IN_TURN + AROUND_FOR_CPU + 1;
/** In the first run everything is slow. */
const WARM_UP_RUNS = 1;

/** A run of over 1,000 steps: what a turn costs at its end beside what one cost at its beginning. */
export async function measureLong(context: Context): Promise<Finding[]> {
  const runs = context.options.quick ? 3 : 10;
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  using folder = makeDataFolder();
  const server = await serve(context, 'long', {
    dataFolder: folder.path,
    mcpServers: { everything: { command: process.execPath, args: [everything, 'stdio'] } },
    args: ['--no-date'],
  });
  try {
    const api = createApi(server.url);
    const early: number[] = [];
    const late: number[] = [];
    const ratios: number[] = [];
    const cpuRatios: number[] = [];
    for (let run = -WARM_UP_RUNS; run < runs; run++) {
      context.say(run < 0 ? 'warming up' : `run ${String(run + 1)} of ${String(runs)}`);
      const { turns, earlyCpuMs, lateCpuMs } = await turnsOf(api, server);
      if (run < 0) continue;
      const times = [EARLY_STEP, LATE_STEP].map((step) => {
        const turn = step / STEPS_IN_TURN;
        return median(turns.slice(turn - AROUND, turn + AROUND + 1));
      });
      const [atFirst = Number.NaN, atLast = Number.NaN] = times;
      early.push(atFirst);
      late.push(atLast);
      ratios.push(atLast / atFirst);
      cpuRatios.push(lateCpuMs / earlyCpuMs);
    }
    const of = { earlyMs: median(early), lateMs: median(late), runs };
    return [
      {
        part: 'long',
        measure: `a turn at step ${String(LATE_STEP)} beside one at step ${String(EARLY_STEP)}`,
        value: median(ratios),
        unit: 'times',
        quartiles: quartiles(ratios),
        atMost: 1.2,
        of,
      },
      {
        part: 'long',
        measure: 'the same in processor time of the server',
        value: median(cpuRatios),
        unit: 'times',
        quartiles: quartiles(cpuRatios),
      },
      {
        part: 'long',
        measure: `a turn at step ${String(LATE_STEP)}`,
        value: median(late),
        unit: 'ms',
        quartiles: quartiles(late),
      },
    ];
  } finally {
    await server.end();
  }
}

type Turns = {
  /** Of each turn, as the reader sees it, in milliseconds. */
  turns: number[];
  /** Of the server, for the turns around the early step and around the late one. */
  earlyCpuMs: number;
  lateCpuMs: number;
};

async function turnsOf(api: Api, server: ServerProcess): Promise<Turns> {
  const conversation = await api.createConversation({
    model: { providerId: PROVIDER, modelId: `long-${String(TURNS)}` },
    limits: { maxTurns: TURNS + 1 },
  });
  const run = await api.send(conversation, 'Echo what you are told to echo.');
  const turns: number[] = [];
  const cpu: Promise<number>[] = [];
  let before: bigint | null = null;
  const failures: unknown[] = [];
  const fail = (thrown: unknown): void => void failures.push(thrown);

  // Both windows are as long as one another; the early one begins with the early step.
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
