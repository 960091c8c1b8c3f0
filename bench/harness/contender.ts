import { profiling } from '../support/server.ts';
import type { Peer } from '../support/process.ts';
import { startPeer } from '../support/process.ts';
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

export type ToContender =
  | { type: 'start'; file: string; name: string; setting: Setting; answer: string }
  | { type: 'block'; calls: number; runs: number }
  | { type: 'close' };
export type FromContender =
  | { type: 'ready'; version: string }
  | ({ type: 'block' } & Block)
  | { type: 'closed' }
  | { type: 'failed'; message: string };

/** A contender in a separate process. */
export type ContenderProcess = AsyncDisposable & {
  name: string;
  version: string;
  block(calls: number, runs: number): Promise<Block>;
};

export type ContenderOptions = {
  name: string;
  /** Relative to bench/. */
  file: string;
  setting: Setting;
  /** The expected answer of every run. */
  answer: string;
  profile: string | null;
};

export async function startContender({ profile, ...start }: ContenderOptions): Promise<ContenderProcess> {
  const file = start.name.replaceAll(/[^a-z]+/g, '-').replace(/^-/, '');
  const execArgv = profiling(profile === null ? null : { folder: profile, name: file });
  const child: Peer<ToContender, FromContender> = startPeer('harness/contender-process.ts', { execArgv });
  async function ask<Type extends FromContender['type']>(
    message: ToContender,
    type: Type,
    ms: number,
  ): Promise<Extract<FromContender, { type: Type }>> {
    const reply = await child.ask(message, ms);
    if (isOf(reply, type)) return reply;
    throw new Error(reply.type === 'failed' ? reply.message : `replied ${reply.type}`);
  }
  try {
    const { version } = await ask({ type: 'start', ...start }, 'ready', START_MS);
    return {
      name: start.name,
      version,
      block: (calls, runs) => ask({ type: 'block', calls, runs }, 'block', BLOCK_MS),
      async [Symbol.asyncDispose]() {
        await ask({ type: 'close' }, 'closed', START_MS).catch(() => undefined);
        await child.end();
      },
    };
  } catch (thrown) {
    await child.end();
    throw thrown;
  }
}

function isOf<Type extends FromContender['type']>(
  reply: FromContender,
  type: Type,
): reply is Extract<FromContender, { type: Type }> {
  return reply.type === type;
}

/** Starts each contender; reports and skips those that fail. */
export async function startContenders(
  contenders: readonly ContenderOptions[],
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
