// One contender in a process of its own: starts it, then runs blocks as asked.
import type { Contender, FromContender, StartContender, ToContender } from './contender.ts';
import type { Block } from './rounds.ts';

let contender: Contender | undefined;
let answer = '';

async function obey(message: ToContender): Promise<FromContender> {
  if (message.type === 'start') {
    const { start } = (await import(`../${message.file}`)) as { start: StartContender };
    answer = message.answer;
    contender = await start(message.setting, message.name);
    return { type: 'ready', version: contender.version };
  }
  if (!contender) return { type: 'failed', message: 'not started' };
  if (message.type === 'close') {
    await contender.close?.();
    return { type: 'closed' };
  }
  return { type: 'block', ...(await runBlock(contender, message)) };
}

async function runBlock({ run }: Contender, { calls, runs }: { calls: number; runs: number }): Promise<Block> {
  const wallMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let done = 0; done < runs; done++) {
    const before = performance.now();
    const text = await run(calls);
    wallMs.push(performance.now() - before);
    if (text !== answer) throw new Error(`incomplete answer: ${text.length} of ${answer.length} characters`);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

process.on('message', (message: ToContender) => {
  void obey(message)
    .catch((thrown: unknown): FromContender => ({
      type: 'failed',
      message: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    }))
    .then((reply) => process.send?.(reply));
});
// process.exit rather than an empty event loop: a peer's timer must not keep the bench, and a CPU profile is written.
process.on('disconnect', () => process.exit(0));
