import { profiling } from './server.ts';
import { startPeer } from './process.ts';
import type { Block } from './rounds.ts';

const START_MS = 60_000;
const BLOCK_MS = 120_000;

/** Input of a contender: the mock model (`baseUrl` ends in `/v1`), and an MCP server to start. */
export type Setting = { origin: string; baseUrl: string; server: { command: string; args: string[] } };

/** A library, ready to run the bench. */
export type Contender = {
  /** Name and version. */
  version: string;
  /**
   * One run in a new conversation. Resolves with the answer, which must be joined from the streamed deltas. Throws what
   * the library throws.
   */
  run: (calls: number) => Promise<string>;
  close?: () => Promise<void>;
};

/** The export `start` of a file of contenders. */
export type StartContender = (setting: Setting, name: string) => Promise<Contender>;

/** `file` is relative to bench/; `answer` is the expected one of every run. */
export type ContenderSource = { name: string; file: string; setting: Setting; answer: string };

/** Messages to the process of a contender: where it comes from, blocks of runs, its end. */
export type ToContender = ContenderSource | { calls: number; runs: number } | 'close';
export type FromContender = { version?: string; block?: Block; failed?: string };

/** A contender in a separate process. */
export type ContenderProcess = AsyncDisposable & {
  name: string;
  version: string;
  block(calls: number, runs: number): Promise<Block>;
};

export async function startContender({
  profile,
  ...source
}: ContenderSource & { profile: string | null }): Promise<ContenderProcess> {
  const file = source.name.replaceAll(/[^a-z]+/g, '-').replace(/^-/, '');
  const execArgv = profiling(profile === null ? null : { folder: profile, name: file });
  await using stack = new AsyncDisposableStack();
  const child = stack.use(startPeer<ToContender, FromContender>('harness/contender-process.ts', { execArgv }));
  async function ask(message: ToContender, ms: number): Promise<FromContender> {
    const reply = await child.ask(message, ms);
    if (reply.failed !== undefined) throw new Error(reply.failed);
    return reply;
  }
  const { version = '' } = await ask(source, START_MS);
  stack.defer(async () => void (await ask('close', START_MS).catch(() => undefined)));
  const all = stack.move();
  return {
    name: source.name,
    version,
    async block(calls, runs) {
      const { block } = await ask({ calls, runs }, BLOCK_MS);
      if (block === undefined) throw new Error('the contender measured nothing');
      return block;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Starts each contender; reports and skips those that fail. */
export async function startContenders(
  contenders: readonly Parameters<typeof startContender>[0][],
  { stack, say }: { stack: AsyncDisposableStack; say: (text: string) => void },
): Promise<ContenderProcess[]> {
  const started: ContenderProcess[] = [];
  for (const options of contenders) {
    try {
      const contender = stack.use(await startContender(options));
      started.push(contender);
      say(`${contender.name} ${contender.version} is ready`);
    } catch (thrown) {
      say(`${options.name} cannot start: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  return started;
}
