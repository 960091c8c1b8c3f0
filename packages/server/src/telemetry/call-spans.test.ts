import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import type { TestServer } from '../http/test-fixtures/test-server.ts';
import { startTestServer } from '../http/test-fixtures/test-server.ts';
import { OWNER } from '../http/types.ts';
import type { ModelsScene } from '../models/test-fixtures/models-scene.ts';
import { setModelsScene } from '../models/test-fixtures/models-scene.ts';
import { CallSpans } from './call-spans.ts';
import type { Span } from './otlp-exporter.ts';

let scene: ModelsScene;
let server: TestServer;
let spans: Span[];
/** The next responses of the provider. */
let script: ModelReply[];

beforeEach(async () => {
  [spans, script] = [[], []];
  scene = await setModelsScene();
  const price = { inputPerMillion: 10, outputPerMillion: 100 };
  const models = await scene.models({ statedModels: { 'mistral/dear': { price } } });
  const upstream = await scene.server(() => script.shift() ?? reply.text('Hello.'));
  await models.create(OWNER, { id: 'mistral', label: 'M', baseUrl: upstream.url });
  const telemetry = new CallSpans({ add: (span) => spans.push(span), content: false, clock: systemClock });
  server = await startTestServer({ change: { models, telemetry } });
});
afterEach(async () => {
  await server.close();
  await scene.end();
});

const chat = (json: object = {}) =>
  server.ask('/webapi/chat/mistral', {
    json: { model: 'dear', messages: [{ role: 'user', parts: [{ type: 'text', text: 'secret' }] }], ...json },
  });

describe('a single model call', () => {
  test('is a span with the same attribute names as those of runs, without content', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };
    script = [reply.text('secret answer', { usage })];
    const { text } = await chat({ parameters: { temperature: 0.5 } });
    const [span] = spans;
    expect(spans).toHaveLength(1);
    expect(span).toMatchObject({ name: 'chat dear', kind: 'client' });
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'dear',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.response.id': /^id: (\S+)$/m.exec(text)?.[1],
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 30,
      'toolyard.cost.usd': 0.004,
    });
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  test('reports the code of a failure, or that it was cancelled', async () => {
    script = [reply.error(401, 'secret key'), reply.text('and on', { thenSilence: true, finish: null })];
    await chat();
    expect(spans[0]).toMatchObject({ error: 'invalid_key', attributes: { 'error.type': 'invalid_key' } });
    expect(JSON.stringify(spans)).not.toContain('secret');

    const leaving = new AbortController();
    const answer = await fetch(`${server.url}/webapi/chat/mistral`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'dear', messages: [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }] }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    await eventually(() => expect(spans).toHaveLength(2));
    expect(spans[1]).toMatchObject({ error: 'cancelled' });
  });
});
