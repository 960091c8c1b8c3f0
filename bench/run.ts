// Cost of a durable run: a real server and the model in separate processes, load and readers in this one.
import { setTimeout as sleep } from 'node:timers/promises';
import { runBench } from './harness/bench.ts';
import { figure } from './harness/figure.ts';
import { startMockModel } from './mock-model/start.ts';
import { measureCommit } from './run/commit.ts';
import { measureFanOut } from './run/fan-out.ts';
import { measureFirstToken } from './run/first-token.ts';
import { idleProcess } from './run/idle.ts';
import { measureLong } from './run/long.ts';
import { measureMany } from './run/many.ts';
import { measureRest } from './run/rest.ts';
import type { Context } from './run/serve.ts';
import { serve } from './run/serve.ts';
import { createApi } from './harness/api.ts';

await runBench<Context>({
  name: 'run',
  parts: {
    commit: measureCommit,
    async 'first-token'(context) {
      await using server = await serve(context, 'first-token');
      return await measureFirstToken(createApi(server.url), { quick: context.options.quick, atMost: 5 });
    },
    async many(context) {
      await using idle = idleProcess();
      await using server = await serve(context, 'many');
      const { figures } = await measureMany({
        ...context,
        api: createApi(server.url),
        servers: { 'the server': server },
        others: { 'a process that does nothing': idle },
        windows: context.options.quick ? { count: 3, ms: 2_000 } : { count: 6, ms: 5_000 },
        goals: { cpuPercent: 60, loopDelayMs: 20 },
      });
      if (context.options.quick) return figures;
      context.say('idle for a minute');
      await sleep(60_000);
      const { rss, heapUsed, heapTotal, external, native } = await server.memory();
      const of = { heapUsed, heapTotal, external, native };
      return [...figures, figure('resident memory of the server one minute later', rss, 'MB', { atMost: 200, of })];
    },
    long: measureLong,
    'fan-out': measureFanOut,
    rest: measureRest,
  },
  async *contexts(bench) {
    await using mock = await startMockModel();
    yield { context: { ...bench, mock } };
  },
});
