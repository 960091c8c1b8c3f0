import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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
import { makeDataFolder } from '../support/server.ts';

const CALLS = 10;
const PROVIDER = 'mock';
const START_MS = 60_000;
const BLOCK_MS = 120_000;
/** After so many runs the optimising compiler has seen the hot paths. */
const WARM_UP_RUNS = 80;

type Memory = Peer<OwnerToChild, ChildToOwner>;

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
  const memory: Memory = startPeer('loop/child.ts');
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
    const reader = await openReader(api);

    const inMemory: Block[] = [];
    const committed: Block[] = [];
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up' : `round ${String(round)} of ${String(rounds)}`);
      const turns = round === 0 ? WARM_UP_RUNS : runs;
      for (const whose of round % 2 === 0 ? (['memory', 'server'] as const) : (['server', 'memory'] as const)) {
        const block = await (whose === 'memory' ? blockInMemory(memory, turns) : blockCommitted(server, reader, turns));
        if (round > 0) (whose === 'memory' ? inMemory : committed).push(block);
      }
    }
    reader.end();
    return findingsOf(inMemory, committed, diskMs);
  } finally {
    await server?.end();
    await memory.ask({ type: 'close' }, START_MS).catch(() => undefined);
    await memory.end();
    await mock.end();
  }
}

function findingsOf(inMemory: readonly Block[], committed: readonly Block[], diskMs: number): Finding[] {
  const wallOf = ({ wallMs }: Block): number => median(wallMs);
  const cpuOf = ({ cpuMs, wallMs }: Block): number => cpuMs / wallMs.length;
  const ratios = (of: (block: Block) => number): number[] =>
    committed.flatMap((block, round) => {
      const other = inMemory[round];
      return other ? [of(block) / of(other)] : [];
    });
  const compared = (measure: string, of: (block: Block) => number, aim: { atMost?: number }): Finding => ({
    part: 'commit',
    measure,
    value: median(ratios(of)),
    unit: 'times memory',
    quartiles: quartiles(ratios(of)),
    ...aim,
    of: {
      memoryMs: median(inMemory.map(of)),
      committedMs: median(committed.map(of)),
      rounds: committed.length,
      runs: committed.reduce((sum, { wallMs }) => sum + wallMs.length, 0),
    },
  });
  return [
    compared('11-call run, everything committed: wall time', wallOf, { atMost: 1.5 }),
    compared('the same: processor time', cpuOf, {}),
    {
      part: 'commit',
      measure: 'what committing, sending and reading add to a turn',
      value: (median(committed.map(wallOf)) - median(inMemory.map(wallOf))) / (CALLS + 1),
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
async function blockCommitted(server: ServerProcess, reader: Reader, runs: number): Promise<Block> {
  const wallMs: number[] = [];
  const conversations: string[] = [];
  for (let made = 0; made < runs; made++) conversations.push(await reader.newConversation());
  await server.begin();
  for (const conversation of conversations) wallMs.push(await reader.run(conversation));
  return { wallMs, cpuMs: (await server.load()).cpuMs };
}

type Reader = {
  newConversation(): Promise<string>;
  /** One whole run; gives its time in milliseconds. Throws where the answer is not whole. */
  run(conversation: string): Promise<number>;
  end(): void;
};

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
    newConversation: () => api.createConversation({ model: { providerId: PROVIDER, modelId: modelName(CALLS) } }),
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
