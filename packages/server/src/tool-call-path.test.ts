import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, listenToSdkRequests, reply, startModelServer, startScriptedMcp } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, startWholeServer } from './mcp/test-fixtures/whole-server.ts';

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

test('a tool call passes six functions between the executor and the SDK', async () => {
  const replies = [reply.toolCalls([{ name: 'hello', arguments: {} }])];
  const model = stack.use(await startModelServer(() => replies.shift() ?? reply.text('Done.')));
  const { url } = stack.use(await startScriptedMcp({ tools: [{ name: 'hello', does: [{ do: 'text', text: 'Hi' }] }] }));
  const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-path-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startWholeServer({
    dataDir,
    flagServers: [{ id: 'greeter', transport: { type: 'http', url } }],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
  });
  stack.defer(() => server.close());
  const stacks: string[][] = [];
  stack.use(listenToSdkRequests((method) => method === 'tools/call' && stacks.push(functionsOnStack())));

  const configuration = { intervention: 'auto' };
  const { id } = await ask<{ id: string }>(server, 'POST', '/api/conversations', { configuration });
  await ask(server, 'POST', `/api/conversations/${id}/messages`, { parts: [{ type: 'text', text: 'Hello' }] });
  const [functions = []] = await eventually(() => stacks.length > 0 && stacks);

  // `callServer` also asks the sixth, `CallScheduler.enter`, for the turn of the call.
  expect(functions.slice(0, functions.indexOf('makeCall'))).toEqual([
    'sendRequest',
    'McpSession.call',
    'callServer',
    'ServerCalls.callTool',
    'RunToolSet.callTool',
  ]);
});

/** The functions on the stack of an SDK request, the last one first, with those that await it. */
function functionsOnStack(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  const frames = new Error().stack?.split('\n') ?? [];
  Error.stackTraceLimit = stackTraceLimit;
  const names = frames.map((frame) => /^ *at (?:async )?([\w.#]+)/.exec(frame)?.[1] ?? '');
  return names.slice(names.indexOf('Object.apply') + 1);
}
