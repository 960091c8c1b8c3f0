import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerList } from '@toolyard/protocol';
import { createMcpMount } from '@toolyard/server/mcp-mount';
import { eventually, listenOnLoopback, reply, TaskRegistry } from '@toolyard/testing';
import { serveTools } from '@toolyard/testing/task-server';
import { describe, expect, it } from 'vitest';
import { call } from './support/api.ts';
import { ServerInstances } from './support/server-instances.ts';
import { TestUser, readView } from './support/test-user.ts';
import { applyAll, inconsistentMessages, transcriptLines } from './support/transcript.ts';

type Research = AsyncDisposable & { url: string; desk: TaskRegistry; finish: () => void };

/** A task server that outlives all Toolyard processes; its task ends on request of the test. */
async function startResearch(era: 'legacy' | 'modern'): Promise<Research> {
  const desk = new TaskRegistry({ ttlMs: null });
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const mount = createMcpMount({
    createServer(context: McpRequestContext) {
      const mcp = new McpServer({ name: 'research', version: '1.0.0' });
      serveTools(mcp, context.era, desk, [
        {
          name: 'research',
          tasks: 'required',
          work: () => async (task) => {
            task.say('reading');
            await finished;
            return { content: [{ type: 'text', text: 'The tide turns at six.' }] };
          },
        },
      ]);
      return mcp;
    },
  });
  const answer = getRequestListener(
    // A server supports one era only; a slow handshake must not lead to a connection in the other era.
    async (request) =>
      request.headers.has('mcp-method') === (era === 'modern')
        ? mount.fetch(request)
        : new Response(null, { status: 400 }),
    { overrideGlobalObjects: false },
  );
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  const listening = await listenOnLoopback(server);
  return {
    url: `${listening.origin}/mcp`,
    desk,
    finish,
    async [Symbol.asyncDispose]() {
      finish();
      await mount.close();
      await listening.close();
    },
  };
}

describe.each(['modern', 'legacy'] as const)('a tool call that a %s server runs as a task', (era) => {
  it.each(['killed', 'closed'] as const)(
    'is awaited by the next process after the first was %s, without a second call or an interrupt',
    async (end) => {
      await using research = await startResearch(era);
      await using lives = await ServerInstances.with(
        (messages) =>
          messages.some(({ role }) => role === 'tool')
            ? reply.text('At six.')
            : reply.toolCalls([{ id: 'call_1', name: 'research', arguments: {} }]),
        // A closing server waits some time for its calls; this call takes as long as the test needs.
        { others: [{ id: 'research', transport: { type: 'http', url: research.url } }], lastCallsMs: 200 },
      );
      const first = await (end === 'killed' ? lives.start() : lives.startHere());
      // A run continues without a server that is still connecting.
      await eventually(
        async () => {
          const { items } = await call<McpServerList>(first.url, 'GET', '/api/mcp/servers');
          return items.find(({ id }) => id === 'research')?.state === 'ready';
        },
        { what: 'the connection to the task server' },
      );
      const person = new TestUser(() => ({ decision: 'failed' }));
      const reports = (): number => person.events.filter(({ type }) => type === 'tool_progress').length;
      const before = person.goOn(first.url);
      await eventually(() => reports() === 1, { what: 'the progress of the task' });
      await first.end();
      expect(await before).toBe('cut');
      expect(research.desk.tasks.map(({ status }) => status)).toEqual(['working']);

      const next = await lives.startHere();
      const after = person.goOn(next.url);
      await eventually(() => reports() > 1, { what: 'the progress of the task in the next process' });
      research.finish();
      expect(await after).toBe('over');

      const view = await readView(next.url);
      expect(transcriptLines(view.page.messages)).toEqual([
        'user: Count, please.',
        'assistant:  research {} (tool_calls)',
        'tool: The tide turns at six. (done)',
        'assistant: At six. (stop)',
      ]);
      expect(research.desk.tasks).toHaveLength(1);
      expect((await person.answered(next.url)).map(({ interrupt }) => interrupt.kind)).toEqual(['approval']);
      expect(inconsistentMessages(person.events)).toEqual([]);
      expect(applyAll(person.events)).toEqual(view.page.messages);
    },
  );
});
