// CPU time of looking for due schedules.
import { noContext, runBench } from './harness/bench.ts';
import { measureIdleSchedules } from './schedules/idle.ts';

await runBench({
  name: 'schedules',
  parts: { idle: ({ options }) => measureIdleSchedules({ schedules: 10_000, ms: options.quick ? 5_000 : 60_000 }) },
  contexts: noContext,
});
