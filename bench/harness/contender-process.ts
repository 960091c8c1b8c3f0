// One contender in a separate process: starts it, then runs blocks on request.
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
// process.exit, because timers of a peer could keep the process alive; it still writes a CPU profile.
process.on('disconnect', () => process.exit(0));
