import type { UsageBy } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { findPostgres } from '../../testing/src/postgres-binaries.ts';
import { startCluster } from '../../testing/src/postgres.ts';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { median } from '../harness/quantile.ts';
import { makeDataFolder } from '../harness/server.ts';

const OWNER = { ownerId: 'bench' };
const FROM = Date.UTC(2026, 10, 1);
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Repetitions per request. */
const REQUESTS = 25;
/** Maximum slowdown. */
const FLAT = 1.5;

const CHARACTERS = [...'的時間東京大阪天氣明日今晚會議報告文件程式伺服器模型工具語言資料庫使用者問題答案系統設定測試'];

type Ask = (storage: SharedStorage) => Promise<unknown>;

const search = (query: string): Ask => {
  return (storage) => storage.conversations.search(OWNER, { query, limit: 20 });
};
const report = (by: UsageBy): Ask => {
  return (storage) => storage.usage.report(OWNER, { by, from: '2026-11-01', to: '2026-11-30' });
};

const REQUESTS_MADE: Readonly<Record<string, Ask>> = {
  'usage by day': report('day'),
  'usage by model': report('model'),
  'usage by conversation': report('conversation'),
  'what a budget of a day has used': (storage) =>
    storage.usage.spent(OWNER, { of: 'day', dollars: 1 }, { conversationId: null, agentId: null, at: FROM }),
  'a search for a word in every message': search('clock'),
  'a search for one CJK character': search('間'),
  'a search for two CJK characters': search('時間'),
  'a search for two CJK characters found nowhere': search('我東'),
};

/** Request times with much history compared with little, in a growing data folder or database. */
export async function measureHistory(
  [few, many]: readonly [number, number],
  where: 'sqlite' | 'postgres',
): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const storage = await openEmpty(stack, where);
  await fill(storage, 0, few);
  const before = await measureTimes(storage);
  await fill(storage, few, many);
  const after = await measureTimes(storage);
  return Object.keys(REQUESTS_MADE).map((name) => {
    const [fewMs = Number.NaN, manyMs = Number.NaN] = [before.get(name), after.get(name)];
    const of = { [`msAt${few}`]: fewMs, [`msAt${many}`]: manyMs };
    return figure(`${where}: ${name}`, manyMs / fewMs, 'times', { atMost: FLAT, of });
  });
}

async function openEmpty(stack: AsyncDisposableStack, where: 'sqlite' | 'postgres'): Promise<SharedStorage> {
  if (where === 'sqlite') {
    const { path } = stack.use(makeDataFolder());
    return stack.adopt(await openStorage({ folder: path, clock: systemClock }), (opened) => opened.close());
  }
  const { folder } = await findPostgres();
  if (folder === null) throw new Error('This part needs PostgreSQL.');
  const cluster = stack.adopt(await startCluster(folder), (started) => started.close());
  const url = await cluster.createDatabase();
  return stack.adopt(await openStorage({ url, clock: systemClock }), (opened) => opened.close());
}

async function measureTimes(storage: SharedStorage): Promise<Map<string, number>> {
  const medians = new Map<string, number>();
  for (const [name, ask] of Object.entries(REQUESTS_MADE)) {
    const times: number[] = [];
    for (let request = 0; request < REQUESTS; request++) {
      const begunAt = performance.now();
      await ask(storage);
      times.push(performance.now() - begunAt);
    }
    medians.set(name, median(times));
  }
  return medians;
}

/** One conversation per exchange, for the maximum number of rows. */
async function fill(storage: SharedStorage, from: number, to: number): Promise<void> {
  const exchanges = Array.from({ length: to - from }, (_, at) => from + at);
  for (let at = 0; at < exchanges.length; at += 16) await Promise.all(exchanges.slice(at, at + 16).map(add));

  async function add(exchange: number): Promise<void> {
    const id = `c${exchange}`;
    const at = FROM + (exchange % DAYS) * DAY_MS;
    await storage.conversations.create(OWNER, { id, title: `Chat ${exchange}`, at });
    const parts = [{ type: 'text' as const, text: `${createText(exchange)} the clock says noon` }];
    const message = { id: `m${exchange}`, parentId: null, createdAt: at, role: 'user' as const, parts };
    await storage.messages.add(OWNER, id, message, { leaf: true });
    const call = { kind: 'model' as const, at, durationMs: 5, providerId: 'p', modelId: 'm', cost: 0.125 };
    const usage = { inputTokens: 30, outputTokens: 5 };
    await storage.usage.add(OWNER, { ...call, usage }, { runId: `r${exchange}`, conversationId: id });
  }
}

/** 400 characters, deterministic. */
function createText(seed: number): string {
  let state = seed + 1;
  let text = '';
  for (let at = 0; at < 400; at++) {
    // Numerical Recipes' generator; its high bits are the random ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += CHARACTERS[(state >>> 16) % CHARACTERS.length] ?? '';
  }
  return text;
}
