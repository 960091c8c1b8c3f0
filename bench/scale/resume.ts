import type { Finding } from '../support/finding.ts';
import { median, quartiles } from '../support/quantile.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { Context } from './context.ts';

/** A turn: the model's step, the question, the call. */
const STEPS_IN_TURN = 3;
const LATE_STEP = 500;
const TURNS = Math.ceil(LATE_STEP / STEPS_IN_TURN) + 10;
/** Where a resume still costs nothing but itself. */
const EARLY_TURNS = 20;
const ANSWER_DELAY_MS = 5;

/**
 * A run that asks before every call: it parks, nothing of it is left in memory, and with the answer it is taken up from
 * what is stored. From the answer to the moment a reader sees it go on.
 */
export async function measureResume({ place, options, say }: Context): Promise<Finding[]> {
  const runs = options.quick ? 1 : 3;
  const early: number[] = [];
  const late: number[] = [];
  for (let run = 0; run < runs; run++) {
    say(`run ${String(run + 1)} of ${String(runs)}`);
    const times = await resumesOf(place.api);
    early.push(...times.slice(5, EARLY_TURNS));
    late.push(...times.slice(LATE_STEP / STEPS_IN_TURN));
  }
  const part = `${place.name}: resume`;
  return [
    {
      part,
      measure: `a run of ${String(LATE_STEP)} steps goes on, from the answer to the reader`,
      value: median(late),
      unit: 'ms',
      quartiles: quartiles(late),
      atMost: 100,
    },
    { part, measure: 'the same in its first 60 steps', value: median(early), unit: 'ms', quartiles: quartiles(early) },
  ];
}

async function resumesOf(api: Context['place']['api']): Promise<number[]> {
  const conversation = await api.createConversation({
    model: { providerId: PROVIDER, modelId: `long-${String(TURNS)}` },
    limits: { maxTurns: TURNS + 1 },
  });
  const run = await api.send(conversation, 'Echo what you are told to echo.');
  const times: number[] = [];
  let answeredAt = 0n;
  let failed: unknown = null;
  await api.read(run, (events, at) => {
    for (const event of events) {
      if (event.type === 'interrupt_requested') {
        // Once it has parked; a moment later nobody works on it any more.
        const { id } = event.interrupt;
        setTimeout(() => {
          answeredAt = process.hrtime.bigint();
          api.answer(id, { decision: 'approve', scope: 'once' }).catch((thrown: unknown) => (failed ??= thrown));
        }, ANSWER_DELAY_MS);
      } else if (event.type === 'run_resumed') {
        times.push(Number(at - answeredAt) / 1e6);
      } else if (event.type === 'run_finished' && event.status !== 'done') {
        failed ??= new Error(`the run ended as ${event.status}: ${event.error?.message ?? 'no reason'}`);
      }
    }
  });
  if (failed !== null) throw failed as Error;
  return times;
}
