import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RunEvent, Usage } from '@toolyard/protocol';
import { VERSION } from '@toolyard/protocol';
import type { NotificationChannel, SharedStorage } from '@toolyard/storage';
import { OWNER } from '../http/types.ts';
import type { Servers } from '../mcp/operations.ts';
import type { Models } from '../services.ts';
import type { Role } from '../roles/role.ts';
import { withCallMetrics } from './call-metrics.ts';
import type { Sample } from './exposition.ts';
import { Counter, Histogram, formatMetric } from './exposition.ts';

/** Metrics of storing runs. */
export type RunMetrics = {
  /** A batch of this many commits was stored within this many milliseconds. */
  stored(runs: number, ms: number): void;
  /** A batch could not be stored. */
  failed(): void;
  published(events: readonly RunEvent[]): void;
};

/** Metrics of this process; they contain no content of conversations. */
export type Metrics = RunMetrics & {
  /** The same service with its calls counted. */
  countedModels<T extends Pick<Models, 'open'>>(models: T): T;
  countedNotifications(channel: NotificationChannel): NotificationChannel;
  /** In the Prometheus text format. */
  text(of: {
    storage: Pick<SharedStorage, 'counts'>;
    servers: { editable: Pick<Servers['editable'], 'list'> };
  }): Promise<string>;
  close(): void;
};

/** Sampling interval of the event loop delay; measured values include it. */
const LOOP_MS = 10;
const GROUP_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const TOKENS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cached: 'cachedInputTokens',
  reasoning: 'reasoningTokens',
} as const;

/** @param role of this process */
export function createMetrics(role: Role): Metrics {
  const loop = monitorEventLoopDelay({ resolution: LOOP_MS });
  loop.enable();
  const sizes = new Histogram(GROUP_SIZES);
  const latency = new Histogram(SECONDS);
  const failures = new Counter();
  const finished = new Counter();
  const calls = new Counter();
  const tokens = new Counter();
  const notifications = new Counter();

  function countCall(provider: string, outcome: string, usage: Usage | undefined): void {
    calls.add({ provider, outcome });
    for (const [kind, field] of Object.entries(TOKENS)) {
      const count = usage?.[field];
      if (count !== undefined) tokens.add({ provider, kind }, count);
    }
  }

  function loopDelay(): Sample[] {
    const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - LOOP_MS / 1000);
    const samples = [0.5, 0.99].map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: delay(loop.percentile(quantile * 100)),
    }));
    samples.push({ labels: { quantile: '1' }, value: delay(loop.max) });
    loop.reset();
    return samples;
  }

  return {
    failed: () => failures.add({}),
    stored(runs, ms) {
      sizes.observe(runs);
      latency.observe(ms / 1000);
    },
    published(events) {
      for (const event of events) if (event.type === 'run_finished') finished.add({ status: event.status });
    },
    countedModels: (models) => ({
      ...models,
      open: async (principal, model) =>
        withCallMetrics(await models.open(principal, model), (outcome, usage) =>
          countCall(model.providerId, outcome, usage),
        ),
    }),
    countedNotifications: (channel) => ({
      readEvents: (runs, limit) => channel.readEvents(runs, limit),
      async send(body) {
        await channel.send(body);
        notifications.add({ direction: 'told' });
      },
      listen(receive, missed) {
        const counted = (bodies: readonly string[]): void => {
          notifications.add({ direction: 'heard' }, bodies.length);
          receive(bodies);
        };
        channel.listen(counted, missed);
      },
      close: () => channel.close(),
    }),
    async text({ storage, servers }) {
      // The other metrics are needed most when the storage fails.
      const counts = await storage.counts().catch(() => null);
      const listed = await servers.editable.list(OWNER).catch(() => null);
      const states = Object.groupBy(listed?.items ?? [], ({ state }) => state);
      const memory = process.memoryUsage();
      const cpu = process.cpuUsage();
      const one = (value: number): Sample[] => [{ value }];
      return [
        formatMetric('toolyard_info', 'gauge', {
          help: 'Version and role of the process.',
          samples: [{ labels: { version: VERSION, role }, value: 1 }],
        }),
        formatMetric('toolyard_storage_up', 'gauge', {
          help: 'Whether the storage can be read (1) or not (0).',
          samples: one(counts ? 1 : 0),
        }),
        formatMetric('toolyard_runs', 'gauge', {
          help: 'Runs that have not ended, by status, of all processes with this database.',
          samples: Object.entries(counts?.runs ?? {}).map(([status, value]) => ({ labels: { status }, value })),
        }),
        formatMetric('toolyard_leases', 'gauge', {
          help: 'Runs with a lease, of all processes with this database.',
          samples: counts ? one(counts.leases) : [],
        }),
        formatMetric('toolyard_runs_finished_total', 'counter', {
          help: 'Runs that ended in this process, by status.',
          samples: finished.samples,
        }),
        formatMetric('toolyard_commit_runs', 'histogram', {
          help: 'Number of runs stored per transaction.',
          samples: sizes.samples,
        }),
        formatMetric('toolyard_commit_seconds', 'histogram', {
          help: 'Duration of a transaction that stores runs, in seconds.',
          samples: latency.samples,
        }),
        formatMetric('toolyard_commit_failures_total', 'counter', {
          help: 'Failed transactions.',
          samples: failures.samples.length > 0 ? failures.samples : one(0),
        }),
        formatMetric('toolyard_model_calls_total', 'counter', {
          help: 'Model requests by provider and outcome.',
          samples: calls.samples,
        }),
        formatMetric('toolyard_model_tokens_total', 'counter', {
          help: 'Tokens as reported by providers; cached tokens are part of the input, reasoning tokens of the output.',
          samples: tokens.samples,
        }),
        formatMetric('toolyard_mcp_servers', 'gauge', {
          help: 'MCP servers of this process, by state.',
          samples: Object.entries(states).map(([state, of]) => ({ labels: { state }, value: of.length })),
        }),
        formatMetric('toolyard_bulletins_total', 'counter', {
          help: 'Notifications between the processes with one database, by direction.',
          samples: notifications.samples,
        }),
        formatMetric('toolyard_event_loop_delay_seconds', 'gauge', {
          help: 'Delay of the event loop in seconds since the last scrape; quantile 1 is the maximum.',
          samples: loopDelay(),
        }),
        formatMetric('process_resident_memory_bytes', 'gauge', {
          help: 'Resident memory of the process in bytes.',
          samples: one(memory.rss),
        }),
        formatMetric('nodejs_heap_used_bytes', 'gauge', {
          help: 'Used JavaScript heap in bytes.',
          samples: one(memory.heapUsed),
        }),
        formatMetric('process_cpu_seconds_total', 'counter', {
          help: 'CPU time of the process in seconds.',
          samples: one((cpu.user + cpu.system) / 1e6),
        }),
        formatMetric('process_start_time_seconds', 'gauge', {
          help: 'Start time of the process in seconds since 1970.',
          samples: one(performance.timeOrigin / 1000),
        }),
      ].join('');
    },
    close: () => void loop.disable(),
  };
}
