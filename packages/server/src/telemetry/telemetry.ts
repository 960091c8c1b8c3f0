import type { Clock } from '@toolyard/protocol';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import { CallSpans } from './call-spans.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import type { Span } from './otlp-exporter.ts';
import { RunSpans } from './run-spans.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** Receives the runs of this process and single calls; sends OpenTelemetry traces. */
export type Telemetry = Pick<RunSpans, 'took' | 'published'> &
  Pick<CallSpans, 'watch'> & { close: () => Promise<void> };

/** Loaded only if tracing is configured. */
export function createTelemetry(options: {
  settings: TelemetrySettings;
  clock: Clock;
  log: (line: string) => void;
}): Telemetry {
  const { settings } = options;
  const fetches = createOwnerFetches();
  const exporter = new OtlpExporter({ ...options, fetch: fetches.for(settings.url) });
  const to = { add: (span: Span) => exporter.add(span), content: settings.content };
  const spans = new RunSpans(to);
  const calls = new CallSpans({ ...to, clock: options.clock });
  return {
    took: (run, configuration) => spans.took(run, configuration),
    published: (events) => spans.published(events),
    watch: (call, batches) => calls.watch(call, batches),
    async close() {
      await exporter.close();
      await fetches.close();
    },
  };
}
