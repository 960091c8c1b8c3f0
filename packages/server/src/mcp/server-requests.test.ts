import { scriptedMcpCommand } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import {
  findView,
  OWNER as me,
  commandServer,
  stdio,
  useServerBench,
  waitForState,
  waitForRequest,
} from './test-fixtures/server-setup.ts';

const room = useServerBench({ builtIn: [commandServer('built-in', 'plain')] });

describe('direct requests to a server', () => {
  it('are answered by that server, even if it is disabled', async () => {
    const all = await room.start({
      off: { ...scriptedMcpCommand({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] }), disabled: true },
    });
    expect(
      await all.ask('POST /api/mcp/servers/{id}/tools/call', me, {
        params: { id: 'off' },
        body: { tool: 'echo', arguments: { a: 1 } },
      }),
    ).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: '{"a":1}' }],
    });
    expect(await all.lists.tools(me, 'off')).toMatchObject([
      { tool: { serverId: 'off', name: 'echo' }, inputSchema: { type: 'object' }, tokens: expect.any(Number) },
    ]);
    expect(
      await all.ask('POST /api/mcp/servers/{id}/tools/call', me, { params: { id: 'off' }, body: { tool: 'none' } }),
    ).toMatchObject({ outcome: 'not_sent' });
    await expect(
      all.ask('POST /api/mcp/servers/{id}/tools/call', me, { params: { id: 'none' }, body: { tool: 'echo' } }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await findView(all, 'off')).toMatchObject({ enabled: false, state: 'ready' });
  });

  it('report why a server cannot be connected', async () => {
    const all = await room.start({ bad: scriptedMcpCommand('exit-at-start') });
    await waitForState(all, 'bad', 'failed');
    await expect(all.lists.tools(me, 'bad')).rejects.toMatchObject({ code: 'server_exited' });
    await expect(all.lists.resources(me, 'bad')).rejects.toMatchObject({ code: 'server_exited' });
    await expect(
      all.ask('POST /api/mcp/servers/{id}/resources/read', me, { params: { id: 'bad' }, body: { uri: 'x://y' } }),
    ).rejects.toMatchObject({ code: 'server_exited' });
  });

  it('are limited: long results are truncated and marked', async () => {
    const all = await room.start({
      a: scriptedMcpCommand({ tools: [{ name: 'big', does: [{ do: 'huge', bytes: 12 * 1_024 * 1_024 }] }] }),
    });
    const { content } = await all.ask('POST /api/mcp/servers/{id}/tools/call', me, {
      params: { id: 'a' },
      body: { tool: 'big' },
    });
    const [part] = content;
    if (part?.type !== 'text') throw new Error('a text was expected');
    expect(part.text.length).toBeLessThan(8.1 * 1_024 * 1_024);
    expect(part.text.slice(-100)).toMatch(/more characters were removed/);
  });

  it('end when the caller disconnects', async () => {
    const all = await room.start({ a: scriptedMcpCommand('never-answers') });
    await waitForState(all, 'a', 'ready');
    const stop = new AbortController();
    const call = all.ask(
      'POST /api/mcp/servers/{id}/tools/call',
      me,
      { params: { id: 'a' }, body: { tool: 'hang' } },
      stop.signal,
    );
    await waitForRequest(all, 'a', 'tools/call');
    stop.abort();
    expect(await call).toMatchObject({ isError: true, outcome: 'unknown' });
  });

  it('are in its log, with their wire messages, from a given position', async () => {
    const all = await room.start({ a: { ...scriptedMcpCommand('plain'), env: { KEY: 'sk-env-1234' } } });
    await waitForState(all, 'a', 'ready');
    const first = await all.ask('GET /api/mcp/servers/{id}/log', me, { params: { id: 'a' }, query: {} });
    expect(first.items.map((entry) => entry.kind)).toContain('event');
    expect(first.items).toContainEqual(
      expect.objectContaining({ kind: 'message', direction: 'sent', method: 'tools/list' }),
    );
    expect(
      (await all.ask('GET /api/mcp/servers/{id}/log', me, { params: { id: 'a' }, query: { after: first.next } })).items,
    ).toEqual([]);
    await all.ask('POST /api/mcp/servers/{id}/tools/call', me, {
      params: { id: 'a' },
      body: { tool: 'echo', arguments: { text: 'sk-env-1234' } },
    });
    const more = await all.ask('GET /api/mcp/servers/{id}/log', me, {
      params: { id: 'a' },
      query: { after: first.next },
    });
    expect(more.items).toMatchObject([
      { direction: 'sent', message: 'request', method: 'tools/call' },
      { direction: 'received', message: 'result' },
    ]);
    expect(JSON.stringify(more)).not.toContain('sk-env');
    expect(more.items[0]?.id).not.toBe(first.items[0]?.id);
    await all.editable.edit(me, 'a', { transport: stdio('plain') });
    await waitForState(all, 'a', 'ready');
    // The log started again.
    expect(
      (await all.ask('GET /api/mcp/servers/{id}/log', me, { params: { id: 'a' }, query: { after: more.next } })).items
        .length,
    ).toBeGreaterThan(5);
  });
});
