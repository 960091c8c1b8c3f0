import { withChat, type ModelRuntime } from '@toolyard/model-runtime';
import type { Clock } from '@toolyard/protocol';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import { CallSpans } from './call-spans.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import type { Span } from './otlp-exporter.ts';
import { RunSpans } from './run-spans.ts';
import { getTraceId } from './span-attributes.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** Receives the runs of this process and single calls; sends OpenTelemetry traces. */
export type Telemetry = Pick<RunSpans, 'onClaimed' | 'published'> &
  Pick<CallSpans, 'watch'> & {
    /** The same model; its requests name the trace of the run, so that spans of the model server join it. */
    traced: (runId: string, model: ModelRuntime) => ModelRuntime;
    close: () => Promise<void>;
  };

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
    onClaimed: (run, configuration) => spans.onClaimed(run, configuration),
    published: (events) => spans.published(events),
    watch: (call, batches) => calls.watch(call, batches),
    traced: (runId, model) => {
      const traceId = getTraceId(runId);
      return withChat(model, (request, chatOptions) => model.chat(request, { ...chatOptions, traceId }));
    },
    async close() {
      await exporter.close();
      await fetches.close();
    },
  };
}
