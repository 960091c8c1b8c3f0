import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withChat } from '@toolyard/model-runtime';
import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { RecordingServer } from '@toolyard/testing';
import { createFakeClock, createSteadyClock, eventually, startRecordingServer } from '@toolyard/testing';
import { ANNE, answers, cleanUp, openBench, temporaryFolder } from '../runs/test-fixtures/setup.ts';
import { calls, says, scriptedModel } from '../runs/test-fixtures/scripted-model.ts';
import { readTelemetry } from './telemetry-settings.ts';
import type { Telemetry } from './telemetry.ts';
import { createTelemetry } from './telemetry.ts';

type Attribute = { key: string; value: Record<string, unknown> };
type ToldSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number };
};
type Payload = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ToldSpan[] }[] }[] };

let receiver: RecordingServer;
let endpoint: string;
let got: { path: string; headers: IncomingHttpHeaders; body: Payload }[];
let statuses: number[];

beforeEach(async () => {
  [got, statuses] = [[], []];
  receiver = await startRecordingServer((request, response, body) => {
    const status = statuses.shift() ?? 200;
    const { url = '', headers } = request;
    if (status === 200) got.push({ path: url, headers, body: JSON.parse(body) as Payload });
    response.writeHead(status).end();
  });
  endpoint = receiver.origin;
});
afterEach(async () => {
  await cleanUp();
  await receiver.close();
});

/** The system clock, except that the receiver's time limit does not run while this process is suspended. */
function patientClock(): Clock {
  const steady = createSteadyClock();
  return { ...systemClock, after: (ms, callback) => steady.after(ms, callback) };
}

function telemetry(env: Record<string, string> = {}, clock = patientClock()): { made: Telemetry; log: string[] } {
  const log: string[] = [];
  const settings = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, null);
  if (settings === null) throw new Error('it is off');
  return { made: createTelemetry({ settings, clock, log: (line) => log.push(line) }), log };
}

/** A run with a tool call and an answer; returns what the receiver has of it. */
async function traced(
  env: Record<string, string> = {},
): Promise<{ spans: ToldSpan[]; runId: string; requested: (string | undefined)[] }> {
  const { made } = telemetry(env);
  const model = scriptedModel([calls({ name: 'date', arguments: { zone: 'secret-zone' } }), says('secret-answer')]);
  const requested: (string | undefined)[] = [];
  const bench = await openBench(temporaryFolder(), {
    model: withChat(model, (request, options) => {
      requested.push(options?.traceId);
      return model.chat(request, options);
    }),
    tools: { date: { builtIn: true, call: () => answers('secret-noon') } },
    telemetry: made,
  });
  const runId = await bench.ask(await bench.conversation(), 'secret-question');
  await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null, { what: 'the end of the run' });
  await bench.runs.close();
  await made.close();
  return { spans: listSpans(got), runId, requested };
}

const listSpans = (payloads: typeof got): ToldSpan[] =>
  payloads.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
const attribute = ({ attributes }: Pick<ToldSpan, 'attributes'>, key: string): unknown =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];

describe('traces of a run', () => {
  test('have a span for the run, and inside it one for each model request and call, by the conventions', async () => {
    const { spans, runId, requested } = await traced();
    expect(requested).toEqual([spans[0]?.traceId, spans[0]?.traceId]);
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ['chat scripted-1', 3],
      ['execute_tool date', 1],
      ['chat scripted-1', 3],
      ['invoke_agent', 1],
    ]);
    const [asked, called, answered, run] = spans as [ToldSpan, ToldSpan, ToldSpan, ToldSpan];
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
    for (const span of [asked, called, answered]) expect(span.parentSpanId).toBe(run.spanId);
    for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano)).toBe(true);
      expect(BigInt(run.startTimeUnixNano) <= BigInt(startTimeUnixNano)).toBe(true);
    }
    const named = (span: ToldSpan) => [
      attribute(span, 'gen_ai.operation.name'),
      attribute(span, 'gen_ai.provider.name'),
      attribute(span, 'gen_ai.request.model'),
    ];
    expect(named(asked)).toEqual(['chat', 'scripted', 'scripted-1']);
    expect(named(run)).toEqual(['invoke_agent', 'scripted', 'scripted-1']);
    expect(attribute(called, 'gen_ai.tool.name')).toBe('date');
    expect(attribute(called, 'toolyard.server.id')).toBe('desk');
    expect(attribute(answered, 'gen_ai.usage.input_tokens')).toBe('1');
    expect(attribute(answered, 'gen_ai.response.finish_reasons')).toEqual({ values: [{ stringValue: 'stop' }] });
    expect(attribute(run, 'toolyard.run.id')).toBe(runId);
    expect(attribute(run, 'gen_ai.conversation.id')).toBe('c1');
  });

  test('contain no messages, calls or results unless configured', async () => {
    const { spans } = await traced();
    expect(JSON.stringify(spans)).not.toContain('secret');
    got.length = 0;
    const open = await traced({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    expect(JSON.stringify(open.spans)).toContain('secret-answer');
    expect(JSON.stringify(open.spans)).toContain('secret-noon');
  });

  test('are sent to the configured endpoint, with its service name and headers', async () => {
    await traced({
      OTEL_SERVICE_NAME: 'yard',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    expect(got[0]?.path).toBe('/v1/traces');
    expect(got[0]?.headers.authorization).toBe('Bearer key');
    const resource = got[0]?.body.resourceSpans[0]?.resource ?? { attributes: [] };
    expect(attribute(resource, 'service.name')).toBe('yard');
    expect(attribute(resource, 'deployment.environment.name')).toBe('test');
  });

  test('are queued while the receiver is down, which is logged once', async () => {
    statuses = [503, 503];
    const clock = createFakeClock({ start: 1_000 });
    const { made, log } = telemetry({}, clock);
    const bench = await openBench(temporaryFolder(), { model: scriptedModel([says('Hi')]), telemetry: made });
    const runId = await bench.ask(await bench.conversation(), 'Hi');
    await eventually(() => bench.storage.runs.getRun(ANNE, runId)?.endedAt !== null);
    await bench.runs.close();
    // A response may take 10 s of the clock; it arrives meanwhile.
    const sent = async () => (await clock.advance(5_000), got.length > 0);
    await eventually(sent, { what: 'the spans', everyMs: 500 });
    expect(listSpans(got).map(({ name }) => name)).toEqual(['chat scripted-1', 'invoke_agent']);
    expect(log.filter((line) => line.includes('503'))).toHaveLength(1);
    await made.close();
  });
});

test.each([
  ['nothing is set', {}],
  ['tracing is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' }],
  ['the exporter is none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_TRACES_EXPORTER: 'none' }],
])('are not sent if %s', (_where, env) => {
  expect(readTelemetry(env, null)).toBeNull();
});

test('reject an invalid URL before anything is sent', () => {
  expect(() => readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, null)).toThrow(/is not an HTTP URL/);
});
