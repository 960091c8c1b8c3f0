import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import type { Api } from '../harness/api.ts';

/** Steps of a turn: model request, approval, call. */
const STEPS_IN_TURN = 3;
const LATE_STEP = 500;
const TURNS = Math.ceil(LATE_STEP / STEPS_IN_TURN) + 10;
/** Where a resume still costs nothing but itself. */
const EARLY_TURNS = 20;
const ANSWER_DELAY_MS = 5;

/**
 * A run that asks before every call: it parks, nothing of it stays in memory, and the answer resumes it from what is
 * stored. From the answer until a reader sees it continue.
 */
export async function measureResume(
  api: Api,
  { runs, say }: { runs: number; say: (text: string) => void },
): Promise<Figure[]> {
  const early: number[] = [];
  const late: number[] = [];
  for (let run = 0; run < runs; run++) {
    say(`run ${String(run + 1)} of ${String(runs)}`);
    const times = await measureResumes(api);
    early.push(...times.slice(5, EARLY_TURNS));
    late.push(...times.slice(LATE_STEP / STEPS_IN_TURN));
  }
  return [
    sampled(`resuming a run of ${String(LATE_STEP)} steps, from the answer to the reader`, late, 'ms', { atMost: 100 }),
    sampled('the same in its first 60 steps', early, 'ms'),
  ];
}

async function measureResumes(api: Api): Promise<number[]> {
  const conversation = await api.createConversation({
    model: { providerId: PROVIDER, modelId: `long-${String(TURNS)}` },
    limits: { maxTurns: TURNS + 1 },
  });
  const run = await api.send(conversation, 'Echo what you are asked to echo.');
  const times: number[] = [];
  let answeredAt = 0n;
  let failed: unknown = null;
  await api.read(run, (events, at) => {
    for (const event of events) {
      if (event.type === 'interrupt_requested') {
        // Once it has parked; a moment later no process works on it.
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
