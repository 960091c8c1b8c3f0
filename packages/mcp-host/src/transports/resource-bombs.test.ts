import type { ServerResponse } from 'node:http';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually, scriptedMcpCommand, startScriptedMcp, startScriptedWebSocket } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { startRawHttpServer } from '../node/test-fixtures/raw-http-server.ts';
import { connected, getHealth, scripted } from '../node/test-fixtures/peers.ts';
import { createFastClock, LONG_TIMEOUTS } from '../node/test-fixtures/fast-clock.ts';
import type { ServerConfig, TransportConfig } from '../types.ts';

let host: McpHost | undefined;
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await host?.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const call = (name: string, args: JsonObject = {}): Promise<ToolResult> => {
  if (host === undefined) throw new Error('connect first');
  return host.callTool({ serverId: 'odd', name }, args);
};

const LEVELS = 100_000;

/** Nested lists, or another pair of brackets. */
function deep(levels: number, open = '[', close = ']'): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

async function startTransport(kind: string, behaviour: McpBehaviour): Promise<TransportConfig> {
  if (kind === 'stdio') return scripted('odd', behaviour).transport;
  const start = kind === 'HTTP' ? startScriptedMcp : startScriptedWebSocket;
  const server = await start(behaviour);
  servers.push(server);
  return { type: kind === 'HTTP' ? 'http' : 'websocket', url: server.url };
}

describe('attack 23: oversized results', () => {
  test.each(['stdio', 'HTTP', 'WebSocket'])(
    'a result of 100 MB over %s is rejected, and the next call works',
    async (kind) => {
      const tools: McpBehaviour['tools'] = [
        { name: 'huge', does: [{ do: 'huge', bytes: 100_000_000 }] },
        { name: 'small' },
      ];
      const config: ServerConfig = { id: 'odd', transport: await startTransport(kind, { tools }) };
      host = await connected([config, scripted('well', 'plain')]);
      const before = process.memoryUsage().rss;
      const result = await call('huge');
      expect(result).toMatchObject({ isError: true, error: { code: expect.any(String) as string } });
      expect(JSON.stringify(result).length).toBeLessThan(2_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
      await eventually(async () => (await call('small')).outcome === 'done');
      expect(await host.callTool({ serverId: 'well', name: 'echo' }, {})).toMatchObject({ outcome: 'done' });
    },
  );

  test('an endless slow response times out and its connection is closed', async () => {
    let dripping = 0;
    const drip = (response: ServerResponse): void => {
      dripping++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': still here\n\n'), 5);
      response.once('close', () => {
        clearInterval(timer);
        dripping--;
      });
    };
    const server = await startRawHttpServer({ instead: { 'tools/call': drip } });
    servers.push(server);
    host = await connected(
      [{ id: 'odd', transport: { type: 'http', url: server.url }, connectTimeoutMs: LONG_TIMEOUTS.connectTimeoutMs }],
      {
        clock: createFastClock(),
      },
    );
    expect(await call('go')).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
    await eventually(() => dripping === 0);
    const closing = call('go');
    await eventually(() => dripping === 1);
    await host.close();
    expect(await closing).toMatchObject({ error: { code: 'server_closed' } });
    await eventually(() => dripping === 0);
  });

  test('excessive nesting in a result is removed with a note', async () => {
    const audience = deep(LEVELS);
    const content = `[{"type":"text","text":"kept"},{"type":"text","text":"x","annotations":{"audience":${audience}}},${audience}]`;
    const result = `{"content":${content},"structuredContent":${deep(LEVELS, '{"a":', '}')}}`;
    const server = await startRawHttpServer({ results: { 'tools/call': result } });
    servers.push(server);
    host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }]);
    const read = await call('go');
    expect(read).toMatchObject({ isError: false, outcome: 'done' });
    expect(read.content).toHaveLength(4);
    expect(read.content[0]).toEqual({ type: 'text', text: 'kept' });
    expect(read.structured).toBeUndefined();
    expect(JSON.stringify(read)).toContain('nested');
    expect(host.wireLog('odd').length).toBeGreaterThan(0);
  });
});

describe('attack 23: a flooding server', () => {
  test('a flood of log messages and stderr lines is cut, and calls continue', async () => {
    const data = 'x'.repeat(400);
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });
    const { command, args } = scriptedMcpCommand({ tools: [{ name: 'go' }], noise: Array<string>(150).fill(line) });
    const flood = "process.stderr.write(('y'.repeat(99) + '\\n').repeat(50000) + 'z'.repeat(5000000))";
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(flood)}`];
    host = await connected([{ id: 'odd', transport: { type: 'stdio', command, args: [...preload, ...args] } }]);
    expect(await call('go')).toMatchObject({ outcome: 'done' });
    const { log } = getHealth(host, 'odd');
    expect(log.length).toBeLessThan(1_000);
    expect(JSON.stringify(log).length).toBeLessThan(2_000_000);
    expect(JSON.stringify(host.wireLog('odd')).length).toBeLessThan(2_000_000);
  });
});

describe('attack 23: oversized lists', () => {
  test('of a hundred thousand tools the first ten thousand are kept, with a warning', async () => {
    const rawTools = Array.from({ length: 100_000 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }));
    const transport = await startTransport('HTTP', { rawTools, pages: { size: 1_000 } });
    host = await connected([{ id: 'odd', transport }]);
    expect(getHealth(host, 'odd')).toMatchObject({ state: 'ready', toolCount: 10_000 });
    expect(getHealth(host, 'odd').log.some(({ level, text }) => level === 'warning' && text.includes('10000'))).toBe(
      true,
    );
    expect(host.resolve('t9999')?.tool.name).toBe('t9999');
  });

  test('an excessively nested schema loses its own tool only, and others can be approved', async () => {
    const input = `{"type":"object","properties":{"a":${deep(LEVELS, '{"items":', '}')}}}`;
    const tools = [
      `{"name":"bomb","inputSchema":${input}}`,
      `{"name":"out","inputSchema":{},"outputSchema":${input}}`,
      '{"name":"good","inputSchema":{}}',
    ];
    const server = await startRawHttpServer({ results: { 'tools/list': `{"tools":[${tools.join(',')}]}` } });
    servers.push(server);
    host = await connected([{ id: 'odd', transport: { type: 'http', url: server.url } }]);
    expect(getHealth(host, 'odd')).toMatchObject({
      state: 'ready',
      toolCount: 1,
      skipped: [
        { name: 'bomb', reason: expect.stringContaining('nested') as string },
        { name: 'out', reason: expect.stringContaining('nested') as string },
      ],
    });
    host.approveTool({ serverId: 'odd', name: 'good' });
    expect(await call('good')).toMatchObject({ outcome: 'done' });
  });

  test('a slow regular expression blocks neither arguments nor results', async () => {
    const evil = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    const text = `${'a'.repeat(50)}!`;
    const structuredContent = { text };
    const does = [{ do: 'result' as const, result: { content: [], structuredContent } }];
    const tools = [{ name: 'go', inputSchema: evil, outputSchema: evil, does }];
    host = await connected([scripted('odd', { tools })]);
    expect(host.resolve('go')?.checkArguments({ text })).toBeNull();
    expect(await call('go', { text })).toMatchObject({ isError: false, structured: structuredContent });
  });
});
