import { createServer } from 'node:http';
import { listenOnLoopback } from '@toolyard/testing';
import { describe } from 'vitest';
import { directRuntime, runtimeContract, type RuntimeFactory } from '../test-fixtures/runtime-contract.ts';
import { WIRE_SCRIPTS } from '../test-fixtures/wires.ts';
import type { ChatRequest, ModelRuntime } from '../types.ts';
import { WebApiEncoder } from './events.ts';
import { createWebApiRuntime } from './runtime.ts';

/** A minimal server that streams the answers of a runtime as events, one frame per write. */
function serve(runtime: ModelRuntime): ReturnType<typeof listenOnLoopback> {
  const server = createServer((incoming, response) => {
    const answer = async (): Promise<void> => {
      let text = '';
      for await (const piece of incoming.setEncoding('utf8')) text += String(piece);
      const disconnected = new AbortController();
      response.on('close', () => disconnected.abort());
      const encoder = new WebApiEncoder('p');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for await (const batch of runtime.chat(JSON.parse(text) as ChatRequest, { signal: disconnected.signal })) {
        for (const { event, data } of encoder.encode(batch)) {
          response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        }
      }
      response.end();
    };
    answer().catch(() => response.destroy());
  });
  return listenOnLoopback(server);
}

const serverRuntime: RuntimeFactory = async (script, baseUrl, options) => {
  const { runtime } = await directRuntime(script, baseUrl, options);
  const served = await serve(runtime);
  const there = createWebApiRuntime({
    provider: 'p',
    baseUrl: served.origin,
    fetch: (input, init) => fetch(input, init),
  });
  return { runtime: there, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
};

describe.each(WIRE_SCRIPTS)('$wire through a server', (script) => runtimeContract(script, serverRuntime));
