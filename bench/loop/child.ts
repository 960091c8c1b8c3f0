// One contender in a process of its own: says when it is ready, then runs blocks as it is told.
import type { StartContender, Surroundings } from './contender.ts';
import { ANSWER } from './task.ts';

export type OwnerToChild =
  | { type: 'start'; file: string; surroundings: Surroundings }
  | { type: 'block'; calls: number; runs: number }
  | { type: 'close' };

/** `wallMs` of each run; `cpuMs` of the block: user and system time of this process and all its threads. */
export type Block = { wallMs: number[]; cpuMs: number };

export type ChildToOwner =
  | { type: 'ready'; version: string }
  | ({ type: 'block' } & Block)
  | { type: 'closed' }
  | { type: 'failed'; message: string };

let contender: Awaited<ReturnType<StartContender>> | undefined;

async function obey(message: OwnerToChild): Promise<ChildToOwner> {
  if (message.type === 'start') {
    const { start } = (await import(message.file)) as { start: StartContender };
    contender = await start(message.surroundings);
    return { type: 'ready', version: contender.version };
  }
  if (!contender) return { type: 'failed', message: 'asked before it was started' };
  if (message.type === 'close') {
    await contender.close();
    return { type: 'closed' };
  }
  return { type: 'block', ...(await runBlock(message.calls, message.runs, contender.run)) };
}

async function runBlock(calls: number, runs: number, run: (calls: number) => Promise<string>): Promise<Block> {
  const wallMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let done = 0; done < runs; done++) {
    const before = performance.now();
    const answer = await run(calls);
    wallMs.push(performance.now() - before);
    if (answer !== ANSWER) throw new Error(`not the whole answer: ${answer.length} of ${ANSWER.length} characters`);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

process.on('message', (message: OwnerToChild) => {
  void obey(message)
    .catch((thrown: unknown): ChildToOwner => ({ type: 'failed', message: messageOf(thrown) }))
    .then((reply) => process.send?.(reply));
});
// process.exit rather than an empty event loop: a peer's timer must not keep the bench, and a CPU profile is written.
process.on('disconnect', () => process.exit(0));

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
