import type { UsageBy } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { makeDataFolder } from '../harness/server.ts';

const OWNER = { ownerId: 'bench' };
const FROM = Date.UTC(2026, 10, 1);
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Repetitions per request; the minimum counts, because other load only adds time. */
const REQUESTS = 25;
/** Maximum slowdown of these requests. Others are bounded by the number of matches, or not at all. */
const FLAT = 2;

const CHARACTERS = [...'的時間東京大阪天氣明日今晚會議報告文件程式伺服器模型工具語言資料庫使用者問題答案系統設定測試'];

type Request = { ask: (storage: Storage) => Promise<unknown>; atMost?: number };

const search = (query: string): Request['ask'] => {
  return (storage) => storage.conversations.search(OWNER, { query, limit: 20 });
};
const report = (by: UsageBy): Request['ask'] => {
  return (storage) => storage.usage.report(OWNER, { by, from: '2026-11-01', to: '2026-11-30' });
};

const REQUESTS_MADE: Readonly<Record<string, Request>> = {
  'usage by day': { ask: report('day'), atMost: FLAT },
  'usage by model': { ask: report('model'), atMost: FLAT },
  'usage by conversation': { ask: report('conversation') },
  'what a budget of a day has used': {
    ask: (storage) =>
      storage.usage.spent(OWNER, { of: 'day', dollars: 1 }, { conversationId: null, agentId: null, at: FROM }),
    atMost: FLAT,
  },
  'a search for a word in every message': { ask: search('clock') },
  'a search for one CJK character': { ask: search('間') },
  'a search for two CJK characters': { ask: search('時間') },
  'a search for two CJK characters found nowhere': { ask: search('我東'), atMost: FLAT },
};

/** Request times with much history compared with little, in a growing data folder. */
export async function measureHistory([few, many]: readonly [number, number]): Promise<Figure[]> {
  using folder = makeDataFolder();
  const storage = await openStorage({ folder: folder.path, clock: systemClock });
  try {
    await fill(storage, 0, few);
    const before = await timesOf(storage);
    await fill(storage, few, many);
    const after = await timesOf(storage);
    return Object.entries(REQUESTS_MADE).map(([name, { atMost }]) => {
      const [fewMs = Number.NaN, manyMs = Number.NaN] = [before.get(name), after.get(name)];
      const of = { [`msAt${String(few)}`]: fewMs, [`msAt${String(many)}`]: manyMs };
      return figure(name, manyMs / fewMs, 'times', atMost === undefined ? { of } : { atMost, of });
    });
  } finally {
    storage.close();
  }
}

async function timesOf(storage: Storage): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const [name, { ask }] of Object.entries(REQUESTS_MADE)) {
    for (let request = 0; request < REQUESTS; request++) {
      const begunAt = performance.now();
      await ask(storage);
      times.set(name, Math.min(times.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - begunAt));
    }
  }
  return times;
}

/** One conversation per exchange, for the maximum number of rows. */
async function fill(storage: Storage, from: number, to: number): Promise<void> {
  for (let exchange = from; exchange < to; exchange++) {
    const id = `c${String(exchange)}`;
    const at = FROM + (exchange % DAYS) * DAY_MS;
    await storage.conversations.create(OWNER, { id, title: `Chat ${String(exchange)}`, at });
    const parts = [{ type: 'text' as const, text: `${textOf(exchange)} the clock says noon` }];
    const message = { id: `m${String(exchange)}`, parentId: null, createdAt: at, role: 'user' as const, parts };
    await storage.messages.add(OWNER, id, message, { leaf: true });
    const call = { kind: 'model' as const, at, durationMs: 5, providerId: 'p', modelId: 'm', cost: 0.125 };
    const usage = { inputTokens: 30, outputTokens: 5 };
    await storage.usage.add(OWNER, { ...call, usage }, { runId: `r${String(exchange)}`, conversationId: id });
  }
}

/** 400 characters, deterministic. */
function textOf(seed: number): string {
  let state = seed + 1;
  let text = '';
  for (let at = 0; at < 400; at++) {
    // Numerical Recipes' generator; its high bits are the random ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += CHARACTERS[(state >>> 16) % CHARACTERS.length] ?? '';
  }
  return text;
}
