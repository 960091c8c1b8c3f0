import { ANNE, cleanUp, openBench, temporaryFolder } from '../../packages/server/src/runs/test-fixtures/bench.ts';
import { calls, says, scriptedModel } from '../../packages/server/src/runs/test-fixtures/scripted-model.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';

const AT_MOST_MS = 20;

/** A run of the server, on SQLite, that asks the user: from the call until it is parked, and from the answer on. */
export async function measureParking(rounds: number): Promise<Figure[]> {
  const parking: number[] = [];
  const resuming: number[] = [];
  let askedAt = 0;
  let goneOnAt = 0;
  const asks = calls({ name: 'ask_user', arguments: { question: 'Which?' } });
  const model = scriptedModel((index) => {
    if (index % 2 === 0) askedAt = performance.now();
    else goneOnAt = performance.now();
    return index % 2 === 0 ? asks : says('Fine');
  });
  const tools = {
    ask_user: { serverId: 'person', builtIn: true, call: () => Promise.reject(new Error('the loop answers it')) },
  };
  const bench = await openBench(temporaryFolder(), { model, tools });
  const rests = new Map<string, () => void>();
  const runEvents = bench.hub.runEvents.bind(bench.hub);
  bench.hub.runEvents = (ownerId, events) => {
    runEvents(ownerId, events);
    for (const { type, runId } of events) if (type === 'run_parked' || type === 'run_finished') rests.get(runId)?.();
  };
  for (let round = 0; round < rounds; round++) {
    const conversation = await bench.conversation();
    const id = `run-${round}`;
    const parked = new Promise<void>((resolve) => rests.set(id, resolve));
    await bench.say(conversation, 'Hello', { id });
    await parked;
    parking.push(performance.now() - askedAt);
    const over = new Promise<void>((resolve) => rests.set(id, resolve));
    const from = performance.now();
    await bench.runs.answer(ANNE, `${id}.0.0.prompt`, { decision: 'say', text: 'That' });
    await over;
    resuming.push(goneOnAt - from);
  }
  await cleanUp();
  return [
    sampled('from the call that asks to the stored rest', parking, 'ms', { atMost: AT_MOST_MS }),
    sampled('from the answer to the next request of the model', resuming, 'ms', { atMost: AT_MOST_MS }),
  ];
}
