import { createRequire } from 'node:module';
import { median, quartiles } from '../support/quantile.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { Finding } from '../support/finding.ts';
import { makeDataFolder } from '../support/server.ts';

/** A turn is two steps: the model's, and the call it asks for. */
const STEPS_IN_TURN = 2;
const EARLY_STEP = 10;
const LATE_STEP = 1_000;
/** Turns on either side that are taken together with the one that is meant: one alone is chance. */
const AROUND = 4;
const TURNS = LATE_STEP / STEPS_IN_TURN + AROUND + 1;
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
    for (let run = -WARM_UP_RUNS; run < runs; run++) {
      context.say(run < 0 ? 'warming up' : `run ${String(run + 1)} of ${String(runs)}`);
      const turns = await turnsOf(api);
      if (run < 0) continue;
      const times = [EARLY_STEP, LATE_STEP].map((step) => {
        const turn = step / STEPS_IN_TURN;
        return median(turns.slice(turn - AROUND, turn + AROUND + 1));
      });
      const [atFirst = Number.NaN, atLast = Number.NaN] = times;
      early.push(atFirst);
      late.push(atLast);
      ratios.push(atLast / atFirst);
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

/** The times of all turns of one run, as its reader sees them, in milliseconds. */
async function turnsOf(api: Api): Promise<number[]> {
  const conversation = await api.createConversation({
    model: { providerId: PROVIDER, modelId: `long-${String(TURNS)}` },
    limits: { maxTurns: TURNS + 1 },
  });
  const run = await api.send(conversation, 'Echo what you are told to echo.');
  const turns: number[] = [];
  let before: bigint | null = null;
  let failed: unknown = null;
  await api.read(run, (events, at) => {
    for (const event of events) {
      if (event.type === 'interrupt_requested') {
        api
          .answer(event.interrupt.id, { decision: 'approve', scope: 'always' })
          .catch((thrown: unknown) => (failed = thrown));
      } else if (event.type === 'tool_finished') {
        turns.push(before === null ? Number.NaN : Number(at - before) / 1e6);
        before = at;
      } else if (event.type === 'run_finished' && event.status !== 'done') {
        failed = new Error(`the run ended as ${event.status}: ${event.error?.message ?? 'no reason'}`);
      }
    }
  });
  if (failed !== null) throw failed;
  if (turns.length !== TURNS) throw new Error(`${String(turns.length)} calls instead of ${String(TURNS)}`);
  return turns;
}
