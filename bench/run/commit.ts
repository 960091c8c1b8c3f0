import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Block, ChildToOwner, OwnerToChild } from '../loop/child.ts';
import type { MockToOwner } from '../loop/mock-model.ts';
import { ANSWER, modelName, PROMPT } from '../loop/task.ts';
import type { Peer } from '../support/process.ts';
import { startPeer } from '../support/process.ts';
import { median, quartiles } from '../support/quantile.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import type { Finding } from '../support/finding.ts';
import type { ServerProcess } from '../support/server.ts';
import { makeDataFolder, profiling } from '../support/server.ts';

const CALLS = 10;
const PROVIDER = 'mock';
const START_MS = 60_000;
const BLOCK_MS = 120_000;
/** After so many runs the optimising compiler has seen the hot paths. */
const WARM_UP_RUNS = 80;

type Memory = Peer<OwnerToChild, ChildToOwner>;

/**
 * On a server that commits everything, read from outside; the same with nobody reading; in memory. In this order at
 * first: whoever reads allows the tool for all that follows.
 */
const WAYS = ['read', 'unread', 'memory'] as const;
type Blocks = Record<(typeof WAYS)[number], Block[]>;

/**
 * The run of eleven requests and ten calls of the bench `loop`, in turns: `createAgent()` in memory, and sent to a
 * server that commits everything and is read from outside. Both with the same model server, and a server-everything
 * of their own.
 */
export async function measureCommit(context: Context): Promise<Finding[]> {
  const { options, say } = context;
  const rounds = options.quick ? 4 : 16;
  const runs = options.quick ? 30 : 60;
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const mcpServer = { command: process.execPath, args: [everything, 'stdio'] };
  using folder = makeDataFolder();
  const diskMs = timeOfTheDisk(folder.path);
  const mock: Peer<string, MockToOwner> = startPeer('loop/mock-model.ts', { args: ['5'] });
  const memory: Memory = startPeer('loop/child.ts', {
    execArgv: profiling(options.profile === null ? null : { folder: options.profile, name: 'commit-memory' }),
  });
  let server: ServerProcess | undefined;
  try {
    const listening = await mock.hear(START_MS);
    if (listening.type !== 'listening') throw new Error('the mock model did not start');
    const baseUrl = `http://127.0.0.1:${String(listening.port)}/v1`;
    const surroundings = { baseUrl, server: mcpServer };
    const ready = await memory.ask({ type: 'start', file: './contenders/toolyard.ts', surroundings }, START_MS);
    if (ready.type !== 'ready') throw new Error(ready.type === 'failed' ? ready.message : `said ${ready.type}`);
    server = await serve(context, 'commit', {
      dataFolder: folder.path,
      providers: { [PROVIDER]: baseUrl },
      mcpServers: { everything: mcpServer },
      // The model is offered the same tools in both.
      args: ['--no-date'],
    });
    const api = createApi(server.url);
    const process = server;
    using unread = openUnread(api, join(folder.path, 'toolyard.db'));
    const ways: Record<keyof Blocks, (turns: number) => Promise<Block>> = {
      memory: (turns) => blockInMemory(memory, turns),
      unread: (turns) => blockCommitted(process, unread, turns),
      async read(turns) {
        const reader = await openReader(api);
        const block = await blockCommitted(process, reader, turns);
        reader.end();
        return block;
      },
    };
    const blocks: Blocks = { memory: [], unread: [], read: [] };
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up' : `round ${String(round)} of ${String(rounds)}`);
      for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const block = await ways[way](round === 0 ? WARM_UP_RUNS : runs);
        if (round > 0) blocks[way].push(block);
      }
    }
    return findingsOf(blocks, diskMs);
  } finally {
    await server?.end();
    await memory.ask({ type: 'close' }, START_MS).catch(() => undefined);
    await memory.end();
    await mock.end();
  }
}

function findingsOf(blocks: Blocks, diskMs: number): Finding[] {
  const wallOf = ({ wallMs }: Block): number => median(wallMs);
  const cpuOf = ({ cpuMs, wallMs }: Block): number => cpuMs / wallMs.length;
  const compared = (
    way: Exclude<keyof Blocks, 'memory'>,
    measure: string,
    of: (block: Block) => number,
    aim: { atMost?: number } = {},
  ): Finding => {
    const ratios = blocks[way].flatMap((block, round) => {
      const memory = blocks.memory[round];
      return memory ? [of(block) / of(memory)] : [];
    });
    return {
      part: 'commit',
      measure,
      value: median(ratios),
      unit: 'times memory',
      quartiles: quartiles(ratios),
      ...aim,
      of: {
        memoryMs: median(blocks.memory.map(of)),
        committedMs: median(blocks[way].map(of)),
        rounds: blocks[way].length,
        runs: blocks[way].reduce((sum, { wallMs }) => sum + wallMs.length, 0),
      },
    };
  };
  const addedTo = (way: Exclude<keyof Blocks, 'memory'>): number =>
    (median(blocks[way].map(wallOf)) - median(blocks.memory.map(wallOf))) / (CALLS + 1);
  return [
    compared('read', '11-call run, everything committed, read as it goes: wall time', wallOf, { atMost: 1.5 }),
    compared('read', 'the same: processor time', cpuOf),
    compared('unread', 'the same, nobody reading: wall time', wallOf),
    compared('unread', 'the same, nobody reading: processor time', cpuOf),
    {
      part: 'commit',
      measure: 'what committing, sending and reading add to a turn',
      value: addedTo('read'),
      unit: 'ms',
    },
    {
      part: 'commit',
      measure: 'what committing alone adds to a turn',
      value: addedTo('unread'),
      unit: 'ms',
    },
    {
      part: 'commit',
      measure: 'a write of 4 kB forced to this disk (a run has ten)',
      value: diskMs,
      unit: 'ms',
    },
  ];
}

async function blockInMemory(memory: Memory, runs: number): Promise<Block> {
  const reply = await memory.ask({ type: 'block', calls: CALLS, runs }, BLOCK_MS);
  if (reply.type !== 'block') throw new Error(reply.type === 'failed' ? reply.message : `said ${reply.type}`);
  return reply;
}

/** A conversation each, made before the time is taken: from sending the question to reading the end of the run. */
async function blockCommitted(server: ServerProcess, asker: Asker, runs: number): Promise<Block> {
  const wallMs: number[] = [];
  const conversations: string[] = [];
  for (let made = 0; made < runs; made++) conversations.push(await asker.newConversation());
  await server.begin();
  for (const conversation of conversations) wallMs.push(await asker.run(conversation));
  return { wallMs, cpuMs: (await server.load()).cpuMs };
}

type Asker = {
  newConversation(): Promise<string>;
  /** One whole run; gives its time in milliseconds. Throws where the answer is not whole. */
  run(conversation: string): Promise<number>;
};
type Reader = Asker & { end(): void };

function newConversation(api: Api): Promise<string> {
  return api.createConversation({ model: { providerId: PROVIDER, modelId: modelName(CALLS) } });
}

/** Nobody is sent anything: the end of a run is looked for in the database file, which costs the server nothing. */
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
        if (performance.now() - before > BLOCK_MS) throw new Error(`the run ${run} does not end`);
        await setTimeout(0.2);
      }
      const took = performance.now() - before;
      if (!String(lastOf.get(run)?.['body']).includes(JSON.stringify(ANSWER))) throw new Error('not the whole answer');
      return took;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** The page of a person: one stream for everything, open all the time. */
async function openReader(api: Api): Promise<Reader> {
  let answer = '';
  let nextSeq = 1;
  let over = (): void => undefined;
  let failed = (_error: Error): void => undefined;
  const stream = await api.follow((events) => {
    for (const event of events) {
      if (event.seq !== nextSeq++) failed(new Error(`event ${String(event.seq)} where ${String(nextSeq - 1)} was due`));
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
      if (answer !== ANSWER) throw new Error(`not the whole answer: ${String(answer.length)} characters`);
      return took;
    },
    end: () => stream.end(),
  };
}

/** What the machine itself takes for the durability of one call. */
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
