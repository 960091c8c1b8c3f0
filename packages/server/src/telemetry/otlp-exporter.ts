import type { Clock, Fetch } from '@toolyard/protocol';
import { defined, toErrorInfo, VERSION } from '@toolyard/protocol';
import type { TelemetrySettings } from './telemetry-settings.ts';

export type SpanValue = string | number | boolean | readonly string[];

/** An operation with its start and end. */
export type Span = {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  attributes: Readonly<Record<string, SpanValue>>;
  /** A short error description without content of the conversation. */
  error?: string;
};

export type OtlpExporterOptions = {
  settings: TelemetrySettings;
  fetch: Fetch;
  clock: Clock;
  log: (line: string) => void;
};

const KINDS = { internal: 1, client: 3 };
const FLUSH_EVERY_MS = 5_000;
const AT_ONCE = 512;
/** Maximum number of queued spans; the oldest are dropped. */
const MOST_WAITING = 4_096;
const SEND_TIMEOUT_MS = 10_000;
const LAST_SEND_TIMEOUT_MS = 2_000;

/** Sends spans as OTLP/HTTP with JSON, in batches, with retries, and without blocking. */
export class OtlpExporter {
  readonly #options: OtlpExporterOptions;
  #waiting: Span[] = [];
  #dropped = 0;
  #isFailing = false;
  #cancel: (() => void) | null = null;
  #sending: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    this.#waiting.push(span);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#dropped++;
    }
    this.#plan();
  }

  /** Sends queued spans, up to a time limit. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#sending;
    await this.#send(LAST_SEND_TIMEOUT_MS);
  }

  #plan(): void {
    if (this.#closed || this.#cancel) return;
    this.#cancel = this.#options.clock.after(FLUSH_EVERY_MS, () => {
      this.#sending = this.#send(SEND_TIMEOUT_MS).then(() => {
        this.#cancel = null;
        if (this.#waiting.length > 0) this.#plan();
      });
    });
  }

  async #send(timeoutMs: number): Promise<void> {
    const { clock } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, AT_ONCE);
      const control = new AbortController();
      const stop = clock.after(timeoutMs, () => control.abort());
      const outcome = await this.#post(batch, control.signal);
      stop();
      this.#logOutage(outcome);
      if (outcome === 'later') return;
      // Spans added meanwhile are at the end of the queue; dropped ones are not in it.
      const sent = new Set(batch);
      this.#waiting = this.#waiting.filter((span) => !sent.has(span));
    }
  }

  async #post(spans: readonly Span[], signal: AbortSignal): Promise<'sent' | 'refused' | 'later'> {
    const { settings, fetch, log } = this.#options;
    try {
      const answer = await fetch(settings.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...settings.headers },
        body: JSON.stringify(toPayload(spans, settings)),
        signal,
      });
      await answer.body?.cancel();
      if (answer.ok) return 'sent';
      if (!this.#isFailing) log(`traces: the receiver responded with HTTP ${answer.status}`);
      return answer.status === 429 || answer.status >= 500 ? 'later' : 'refused';
    } catch (thrown) {
      if (!this.#isFailing) log(`traces: the receiver is unreachable: ${toErrorInfo(thrown).message}`);
      return 'later';
    }
  }

  /** Logs each outage once. */
  #logOutage(outcome: 'sent' | 'refused' | 'later'): void {
    if (outcome === 'sent' && this.#isFailing) {
      this.#options.log(
        `traces: the receiver accepts spans again${this.#dropped > 0 ? `; ${this.#dropped} were dropped` : ''}`,
      );
      this.#dropped = 0;
    }
    this.#isFailing = outcome !== 'sent';
  }
}

function toPayload(spans: readonly Span[], { serviceName, resource }: TelemetrySettings): object {
  const attributes = { ...resource, 'service.name': serviceName, 'service.version': VERSION };
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(attributes) },
        scopeSpans: [{ scope: { name: 'toolyard', version: VERSION }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan({ traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    ...defined({ parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endedAt),
    attributes: keyValues(attributes),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

/** Too large for a JSON number. */
function nanos(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function keyValues(attributes: Readonly<Record<string, SpanValue>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
