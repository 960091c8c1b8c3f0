import type { RunEvent } from '../../packages/protocol/src/index.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { modelName, PROMPT } from '../mock-model/texts.ts';
import type { Context } from './serve.ts';
import { serve } from './serve.ts';
import type { Api } from '../harness/api.ts';
import { createApi } from '../harness/api.ts';
import { median } from '../harness/quantile.ts';

const RUNS = 50;
const MODEL = { providerId: PROVIDER, modelId: modelName(0) };
const WARM_UP_ROUNDS = 3;

/**
 * A run that delegates fifty tasks, compared with fifty runs of the same model in conversations of their own; and the
 * time from the call to the parked run, and from the end of the last sub-agent to the result.
 */
export async function measureFanOut(context: Context): Promise<Figure[]> {
  const { options } = context;
  await using server = await serve(context, 'fan-out', { args: ['--no-date'] });
  const api = createApi(server.url);
  const rounds = options.quick ? 5 : 20;
  const plain: number[] = [];
  const fanOut: number[] = [];
  const parks: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const plainMs = await plainRuns(api);
    const { ms } = await delegated(api, RUNS);
    const { parkMs } = await delegated(api, 1);
    if (round < 0) continue;
    plain.push(plainMs);
    fanOut.push(ms);
    parks.push(parkMs);
  }
  const ratios = fanOut.map((ms, round) => ms / (plain[round] ?? NaN));
  return [
    sampled(`a fan-out of ${RUNS} sub-agents, wall time`, ratios, `times ${RUNS} plain runs`, {
      atMost: 1.2,
      of: { plainMs: median(plain), fanOutMs: median(fanOut), rounds },
    }),
    sampled('parking and resuming the parent', parks, 'ms', { atMost: 20, of: { samples: parks.length } }),
  ];
}

/** Milliseconds until fifty runs of conversations of their own have ended. */
async function plainRuns(api: Api): Promise<number> {
  const conversations = await Promise.all(Array.from({ length: RUNS }, () => api.createConversation({ model: MODEL })));
  const began = performance.now();
  await Promise.all(
    conversations.map(async (conversation) => {
      const run = await api.send(conversation, PROMPT);
      await api.read(run, () => undefined);
    }),
  );
  return performance.now() - began;
}

/** Milliseconds until the run has ended; `parkMs`: those that neither the sub-agents nor its own answer took. */
async function delegated(api: Api, count: number): Promise<{ ms: number; parkMs: number }> {
  const conversation = await api.createConversation({ model: MODEL });
  const delegate = Array.from({ length: count }, (_none, index) => ({ task: `${PROMPT} (${index})` }));
  const began = performance.now();
  const events: RunEvent[] = [];
  const ended: number[] = [];
  const all = await api.follow((read) => {
    for (const { type, at, runId } of read) if (type === 'run_finished' && runId.includes('.task.')) ended.push(at);
  });
  const run = await api.send(conversation, PROMPT, { delegate });
  await api.read(run, (read) => events.push(...read));
  const ms = performance.now() - began;
  all.end();
  const at = (type: RunEvent['type']): number => events.find((event) => event.type === type)?.at ?? NaN;
  const parkMs = at('run_parked') - at('tool_started') + at('tool_finished') - Math.max(...ended);
  return { ms, parkMs };
}
