import { reply, startModelServer, eventually, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import type { ModelRuntimeOptions } from '../create-runtime.ts';
import type { ChatRequest, ModelRuntime, StreamPart } from '../types.ts';
import { collect, errorIn, request, textIn, tool } from './requests.ts';
import { runtimeOver, type WireScript } from './wires.ts';

/** Creates a runtime for the models at a base URL; it is closed with the test. */
export type RuntimeFactory = (
  script: WireScript,
  baseUrl: string,
  options: Partial<ModelRuntimeOptions>,
) => Promise<AsyncDisposable & { runtime: ModelRuntime }>;

/** Directly over the wire. */
export const directRuntime: RuntimeFactory = async ({ wire }, baseUrl, options) => ({
  runtime: runtimeOver(wire, baseUrl, options),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

const KEY = 'canary-key-0123456789';
const tools = [tool('f'), tool('g')];

/** The contract of every {@link ModelRuntime}, shared by the wires and the path through a server. */
export function runtimeContract(script: WireScript, reach: RuntimeFactory): void {
  async function ask(
    replies: ModelReply | readonly ModelReply[],
    more: Partial<ChatRequest> = {},
    options: Partial<ModelRuntimeOptions> = {},
  ): Promise<StreamPart[]> {
    await using server = await startModelServer(Array.isArray(replies) ? replies : [replies as ModelReply]);
    await using connection = await reach(script, server.url, options);
    return await collect(connection.runtime, request('hi', more));
  }

  test('streams a text answer at any chunk size', async () => {
    const text = 'Hello 世界 🙂, "quoted"\nand\tmore.';
    for (const options of [
      {},
      { split: 'byte' },
      { split: 7 },
      { split: 'whole' },
      { newline: '\r\n', comments: true },
    ] as const) {
      const parts = await ask(script.text(text, options));
      expect(textIn(parts)).toBe(text);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
      expect(parts.some((part) => part.type === 'usage')).toBe(script.wire !== 'openai-chat');
    }
  });

  test('reads parallel calls with their ids and arguments', async () => {
    const calls = [
      { id: 'call_1', name: 'f', arguments: { x: 'a "b" 🙂', deep: { list: [1, null, true] } } },
      { id: 'call_2', name: 'g', arguments: {} },
      { id: 'call_3', name: 'f', arguments: { x: 2 } },
    ];
    for (const options of [{}, { split: 'byte' }] as const) {
      const parts = await ask(script.calls(calls, options), { tools });
      expect(callsIn(parts)).toEqual(calls);
      expect(parts.flatMap((part) => (part.type === 'tool_call_start' ? [part.index] : []))).toEqual([0, 1, 2]);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
      for (const call of parts.filter((part) => part.type === 'tool_call')) {
        const deltas = parts.flatMap((part) =>
          part.type === 'tool_call_delta' && part.index === call.index ? [part.argumentsText] : [],
        );
        expect(deltas.join('')).toBe(call.argumentsText);
      }
    }
  });

  test('reads a whole answer as JSON', async () => {
    const parts = await ask(reply.json(script.json('all at once')));
    expect(textIn(parts)).toBe('all at once');
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test('parses calls written as text in text mode, and as text if an API with native calls offers the tools', async () => {
    const written = 'So.\n<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>';
    const asText = await ask(script.text(written), { tools, toolMode: 'text' });
    expect(callsIn(asText)).toEqual([{ name: 'f', arguments: { x: 1 } }]);
    if (script.wire === 'openai-chat') return;
    const native = await ask(script.text(written), { tools });
    expect(textIn(native)).toBe(written);
  });

  describe('errors', () => {
    test.each([
      ['key', 'invalid_key', false],
      ['model', 'model_not_found', false],
      ['context', 'context_exceeded', false],
      ['rate', 'rate_limited', true],
      ['quota', 'quota_exceeded', false],
      ['overloaded', 'overloaded', true],
      ['request', 'bad_request', false],
    ] as const)('%s', async (kind, code, retryable) => {
      const [status, body] = script.errors[kind];
      const error = errorIn(await ask(reply.error(status, body), {}, { apiKey: KEY }));
      expect(error.code).toBe(code);
      expect(error.retryable ?? false).toBe(retryable);
      expect(error.message).toContain('http://127.0.0.1:');
      if (kind === 'model') expect(error.message).toContain('"scripted"');
    });

    test('during streaming keep the parts before', async () => {
      const parts = await ask(script.failing('half of it'));
      expect(textIn(parts)).toBe('half of it');
      expect(errorIn(parts)).toMatchObject({ code: 'overloaded', retryable: true });
    });

    test.each<[string, Parameters<WireScript['half']>[1]]>([
      ['a stream without its final event', {}],
      ['a closed connection', { thenCut: true }],
    ])('%s', async (_, options) => {
      const parts = await ask(script.half('half of it', options));
      expect(textIn(parts)).toBe('half of it');
      expect(errorIn(parts)).toMatchObject({ code: 'stream_broken', retryable: true });
    });

    test('never complete a call in progress', async () => {
      const complete = script.calls([{ id: 'c', name: 'f', arguments: { x: 1 } }]);
      if (script.wire === 'google-gemini') return;
      for (let keep = 1; keep < complete.writes.length; keep += 1) {
        const text = new TextDecoder().decode(complete.writes[keep - 1]);
        if (/finish_reason":"|content_block_stop|output_item.done|message_delta/.test(text)) break;
        const cut: ModelReply = { ...complete, writes: complete.writes.slice(0, keep), ending: 'cut' };
        const parts = await ask(cut, { tools });
        expect(parts.filter((part) => part.type === 'tool_call')).toEqual([]);
        expect(errorIn(parts).code).toMatch(/stream_broken|no_response/);
      }
    });

    test.each<[string, ModelReply]>([
      ['nothing', reply.raw([])],
      ['only comments', reply.raw([': ping\n\n: ping\n\n'])],
      ['only the final event', reply.raw(['data: [DONE]\n\n'])],
    ])('no response at all: %s', async (_, scripted) => {
      expect(errorIn(await ask(scripted)).code).toBe('no_response');
    });

    test('an event with invalid JSON', async () => {
      expect(errorIn(await ask(reply.raw(['data: {oops\n\n']))).code).toBe('bad_response');
    });

    test('an HTML page instead of an answer', async () => {
      const error = errorIn(await ask([reply.html(), reply.html()]));
      expect(error.code).toBe('not_a_model_server');
      expect(error.message).toContain('web page');
    });

    test('an error page of a gateway', async () => {
      const gateway = reply.raw(['<html><body>502 Bad Gateway nginx</body></html>'], {
        status: 502,
        headers: { 'content-type': 'text/html' },
      });
      const error = errorIn(await ask(gateway));
      expect(error).toMatchObject({ code: 'overloaded', retryable: true });
      expect(error.message).not.toContain('nginx');
    });

    test('throws AbortError on cancel and closes the connection', async () => {
      await using server = await startModelServer([script.half('half', { thenSilence: true })]);
      await using connection = await reach(script, server.url, {});
      const controller = new AbortController();
      const reading = collect(connection.runtime, request('hi'), controller.signal);
      setTimeout(() => controller.abort(), 50);
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
      await eventually(() => expect(server.requests[0]?.clientLeft ?? true).toBe(true));
    });
  });
}

function callsIn(parts: readonly StreamPart[]) {
  return parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ name: part.name, arguments: part.arguments, id: part.id }] : [],
  );
}
