import type { Clock } from '@toolyard/protocol';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { RunSpans } from './run-spans.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** Told of the runs of this process; tells a receiver of OpenTelemetry traces. */
export type Telemetry = Pick<RunSpans, 'took' | 'published'> & { close: () => Promise<void> };

/** Loaded and made only where somebody asked for traces. */
export function createTelemetry(options: {
  settings: TelemetrySettings;
  clock: Clock;
  log: (line: string) => void;
}): Telemetry {
  const { settings } = options;
  const fetches = createOwnerFetches();
  const exporter = new OtlpExporter({ ...options, fetch: fetches.for(settings.url) });
  const spans = new RunSpans({ add: (span) => exporter.add(span), content: settings.content });
  return {
    took: (run, configuration) => spans.took(run, configuration),
    published: (events) => spans.published(events),
    async close() {
      await exporter.close();
      await fetches.close();
    },
  };
}
