import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { startContender } from '../harness/contender.ts';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { Block, Results } from '../harness/rounds.ts';
import { getBlocks, compete, getCpu, ratios, getWall } from '../harness/rounds.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { ANSWER, modelName, PROMPT } from '../mock-model/texts.ts';
import type { Api } from '../harness/api.ts';
import { createApi } from '../harness/api.ts';
import { EVERYTHING } from '../harness/everything.ts';
import { median } from '../harness/quantile.ts';
import type { ServerProcess } from '../harness/server.ts';
import type { Context } from './serve.ts';
import { serve } from './serve.ts';

const CALLS = 10;
const RUN_MS = 120_000;
/** Warm-up runs, after which the JIT compiler has optimized the hot paths. */
const WARM_UP_RUNS = 80;

/**
 * The run of bench `loop` with eleven requests and ten calls: `createAgent()` in memory compared with a server that commits
 * everything, with and without a reader, and with the least that makes a run durable. All use the same model and their
 * own server-everything.
 */
export async function measureCommit(context: Context): Promise<Figure[]> {
  const { options, say, mock } = context;
  // The model gets the same tools in both.
  await using server = await serve(context, 'commit', { mcpServers: { everything: EVERYTHING }, args: ['--no-date'] });
  const diskMs = timeOfTheDisk(server.dataFolder);
  const setting = { origin: mock.origin, baseUrl: mock.baseUrl, server: EVERYTHING };
  const inMemory = { setting, answer: ANSWER, profile: options.profile };
  await using memory = await startContender({
    ...inMemory,
    name: 'commit-memory',
    file: 'loop/contenders/toolyard.ts',
  });
  await using baseline = await startContender({
    ...inMemory,
    name: 'commit-baseline',
    file: 'run/durable-baseline.ts',
  });
  const api = createApi(server.url);
  using unread = openUnread(api, join(server.dataFolder, 'toolyard.db'));
  const results = await compete(
    [
      // First in the warm-up, because the reader allows the tool for all later runs.
      {
        name: 'read',
        async block(runs) {
          const reader = await openReader(api);
          const block = await blockCommitted(server, reader, runs);
          reader.end();
          return block;
        },
      },
      { name: 'unread', block: (runs) => blockCommitted(server, unread, runs) },
      { name: 'memory', block: (runs) => memory.block(CALLS, runs) },
      { name: 'baseline', block: (runs) => baseline.block(CALLS, runs) },
    ],
    { rounds: options.quick ? 4 : 16, runs: options.quick ? 30 : 60, warmUpRuns: WARM_UP_RUNS, say },
  );
  return toFigures(results, diskMs);
}

function toFigures(results: Results, diskMs: number): Figure[] {
  const memory = getBlocks(results, 'memory');
  const compared = (
    way: string,
    measure: string,
    of: (block: Block) => number,
    more: { atMost?: number } = {},
  ): Figure => {
    const blocks = getBlocks(results, way);
    return sampled(measure, ratios(blocks, memory, of), 'times memory', {
      ...more,
      of: { memoryMs: median(memory.map(of)), committedMs: median(blocks.map(of)), rounds: blocks.length },
    });
  };
  const addedTo = (way: string): number =>
    (median(getBlocks(results, way).map(getWall)) - median(memory.map(getWall))) / (CALLS + 1);
  return [
    compared('read', '11-call run, everything committed, read as it goes: wall time', getWall, { atMost: 1.5 }),
    compared('read', 'the same: processor time', getCpu),
    compared('unread', 'the same without a reader: wall time', getWall),
    compared('unread', 'the same without a reader: processor time', getCpu),
    compared('baseline', 'in memory, events forced to a file before each call: wall time', getWall),
    compared('baseline', 'the same: processor time', getCpu),
    figure('what committing, sending and reading add to a turn', addedTo('read'), 'ms'),
    figure('what committing alone adds to a turn', addedTo('unread'), 'ms'),
    figure('a write of 4 kB forced to this disk (a run has ten)', diskMs, 'ms'),
  ];
}

/** Measures from sending the message to the end of the run, in a conversation created before. */
async function blockCommitted(
  server: Pick<ServerProcess, 'begin' | 'load'>,
  asker: Asker,
  runs: number,
): Promise<Block> {
  const wallMs: number[] = [];
  const conversations: string[] = [];
  for (let made = 0; made < runs; made++) conversations.push(await asker.newConversation());
  await server.begin();
  for (const conversation of conversations) wallMs.push(await asker.run(conversation));
  return { wallMs, cpuMs: (await server.load()).cpuMs };
}

type Asker = {
  newConversation(): Promise<string>;
  /** Runs once. Returns milliseconds. @throws Error for an incomplete answer */
  run(conversation: string): Promise<number>;
};
type Reader = Asker & { end(): void };

function newConversation(api: Api): Promise<string> {
  return api.createConversation({ model: { providerId: PROVIDER, modelId: modelName(CALLS) } });
}

/** Nothing is streamed: the end of a run is polled in the database file, which costs the server nothing. */
function openUnread(api: Api, file: string): Asker & Disposable {
  const database = new DatabaseSync(file, { readOnly: true });
  const statusOf = database.prepare('SELECT status FROM runs WHERE id = ?');
  const lastOf = database.prepare(
    "SELECT body FROM run_events WHERE run_id = ? AND type = 'message_finished' ORDER BY seq DESC LIMIT 1",
  );
  return {
    newConversation: () => newConversation(api),
    async run(conversation) {
      const before = performance.now();
      const run = await api.send(conversation, PROMPT);
      while (statusOf.get(run)?.['status'] !== 'done') {
        if (performance.now() - before > RUN_MS) throw new Error(`the run ${run} does not end`);
        await setTimeout(0.2);
      }
      const took = performance.now() - before;
      if (!String(lastOf.get(run)?.['body']).includes(JSON.stringify(ANSWER))) throw new Error('incomplete answer');
      return took;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Like the page: one stream for all events, always open. */
async function openReader(api: Api): Promise<Reader> {
  let answer = '';
  let nextSeq = 1;
  let over = (): void => undefined;
  let failed = (_error: Error): void => undefined;
  const stream = await api.follow((events) => {
    for (const event of events) {
      if (event.seq !== nextSeq++) failed(new Error(`event ${String(event.seq)} instead of ${String(nextSeq - 1)}`));
      if (event.type === 'message_started') answer = '';
      else if (event.type === 'text_delta') answer += event.text;
      else if (event.type === 'interrupt_requested') {
        api.answer(event.interrupt.id, { decision: 'approve', scope: 'always' }).catch(failed);
      } else if (event.type === 'run_finished') over();
    }
  });
  return {
    newConversation: () => newConversation(api),
    async run(conversation) {
      answer = '';
      nextSeq = 1;
      const ended = new Promise<void>((resolve, reject) => {
        over = resolve;
        failed = reject;
      });
      const before = performance.now();
      await Promise.all([api.send(conversation, PROMPT), ended]);
      const took = performance.now() - before;
      if (answer !== ANSWER) throw new Error(`incomplete answer: ${String(answer.length)} characters`);
      return took;
    },
    end: () => stream.end(),
  };
}

/** Cost of the machine for the durability of one call. */
function timeOfTheDisk(folder: string): number {
  const file = openSync(join(folder, 'disk'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let written = 0; written < 100; written++) {
    writeSync(file, page);
    const before = performance.now();
    fdatasyncSync(file);
    times.push(performance.now() - before);
  }
  closeSync(file);
  return median(times);
}
