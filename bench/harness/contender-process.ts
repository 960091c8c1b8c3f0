// One contender in a separate process: starts it, then runs blocks on request.
import type { Contender, FromContender, StartContender, ToContender } from './contender.ts';
import type { Block } from './rounds.ts';

let contender: Contender | undefined;
let answer = '';

async function obey(message: ToContender): Promise<FromContender> {
  if (message === 'close') {
    await contender?.close?.();
    return {};
  }
  if ('runs' in message) return { block: await runBlock(message) };
  const { start } = (await import(`../${message.file}`)) as { start: StartContender };
  answer = message.answer;
  contender = await start(message.setting, message.name);
  return { version: contender.version };
}

async function runBlock({ calls, runs }: { calls: number; runs: number }): Promise<Block> {
  const wallMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let done = 0; done < runs; done++) {
    const before = performance.now();
    const text = await contender?.run(calls);
    wallMs.push(performance.now() - before);
    if (text !== answer) throw new Error(`incomplete answer: ${text?.length ?? 0} of ${answer.length} characters`);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

process.on('message', (message: ToContender) => {
  void obey(message)
    .catch((thrown: unknown): FromContender => ({
      failed: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    }))
    .then((reply) => process.send?.(reply));
});
// process.exit, because timers of a peer could keep the process alive; it still writes a CPU profile.
process.on('disconnect', () => process.exit(0));
