import { join } from 'node:path';
import { openStorage } from '@toolyard/storage';
import { systemClock } from '@toolyard/protocol';
import { fillStorage } from '../../packages/storage/src/test-fixtures/fill-storage.ts';
import { growSqlite } from '../../packages/storage/src/test-fixtures/grow-history.ts';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER, startMockModel } from '../mock-model/start.ts';
import { modelName, PROMPT } from '../mock-model/texts.ts';
import { createApi } from '../harness/api.ts';
import { median } from '../harness/quantile.ts';
import type { ServerProcess } from '../harness/server.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';

const OWNER = 'owner';
/** Exchanges per round, after which the other server has its turn. */
const EXCHANGES = 25;
/** Rounds before the first that counts: the JIT compiler has optimized the hot paths. */
const WARM_UP_ROUNDS = 4;

/** An exchange without calls, from sending the message to the end of its stream, with little history and with much. */
export async function measureExchange({ options, say }: Bench): Promise<Figure[]> {
  const [few, many] = options.quick ? [1_000, 16_000] : [1_000, 64_000];
  await using stack = new AsyncDisposableStack();
  const mock = stack.use(await startMockModel());
  const serverWith = async (exchanges: number): Promise<ServerProcess> => {
    const { path } = stack.use(makeDataFolder());
    const storage = await openStorage({ folder: path, clock: systemClock });
    await fillStorage(storage);
    storage.close();
    growSqlite(join(path, 'toolyard.db'), OWNER, exchanges);
    say(`${exchanges} exchanges stored`);
    const server = { dataFolder: path, providers: { [PROVIDER]: mock.baseUrl }, args: ['--no-date'], profile: null };
    return stack.use(await startServer(server));
  };
  const [little, much] = [await serverWith(few), await serverWith(many)];

  const ratios: number[] = [];
  const times = { few: [] as number[], many: [] as number[] };
  const rounds = options.quick ? 8 : 24;
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const first = round % 2 === 0 ? await measureRound(little.url) : 0;
    const manyMs = await measureRound(much.url);
    const fewMs = first === 0 ? await measureRound(little.url) : first;
    if (round < 0) continue;
    ratios.push(manyMs / fewMs);
    times.few.push(fewMs);
    times.many.push(manyMs);
  }
  const of = { [`msAt${few}`]: median(times.few), [`msAt${many}`]: median(times.many), rounds };
  return [sampled(`exchange with ${many} stored exchanges`, ratios, `times one with ${few}`, { atMost: 1.2, of })];
}

/** The median of a round, in milliseconds. */
async function measureRound(url: string): Promise<number> {
  const api = createApi(url);
  const times: number[] = [];
  for (let made = 0; made < EXCHANGES; made++) {
    const id = await api.createConversation({ model: { providerId: PROVIDER, modelId: modelName(0) } });
    const begunAt = performance.now();
    await api.read(await api.send(id, PROMPT), () => {});
    times.push(performance.now() - begunAt);
  }
  return median(times);
}
