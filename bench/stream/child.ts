// One contender in a process of its own: says when it is ready, then reads answers as it is told.
import { ANSWER } from './answer.ts';
import type { ContenderName, Reading } from './contenders.ts';
import { CONTENDERS } from './contenders.ts';

export type OwnerToChild = { type: 'start'; name: ContenderName; origin: string } | { type: 'block'; runs: number };
/** `wallMs` of each answer; `cpuMs` of one, on the average of the block: user and system, of all threads. */
export type Block = { wallMs: number[]; cpuMs: number };
export type ChildToOwner =
  | { type: 'ready'; version: string }
  | ({ type: 'block' } & Block)
  | { type: 'failed'; message: string };

let contender: Reading | undefined;

async function obey(message: OwnerToChild): Promise<ChildToOwner> {
  if (message.type === 'start') {
    contender = await CONTENDERS[message.name](message.origin);
    return { type: 'ready', version: contender.version };
  }
  if (!contender) return { type: 'failed', message: 'asked before it was started' };
  const wallMs: number[] = [];
  const before = process.cpuUsage();
  for (let done = 0; done < message.runs; done++) {
    const at = performance.now();
    const text = await contender.read();
    wallMs.push(performance.now() - at);
    if (text !== ANSWER) throw new Error(`not the whole answer: ${text.length} of ${ANSWER.length} characters`);
  }
  const { user, system } = process.cpuUsage(before);
  return { type: 'block', wallMs, cpuMs: (user + system) / 1000 / message.runs };
}

process.on('message', (message: OwnerToChild) => {
  void obey(message)
    .catch((thrown: unknown): ChildToOwner => ({
      type: 'failed',
      message: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    }))
    .then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
