import type { ToolResult } from '@toolyard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { connected, everything, getHealth, newHost, startEverything } from '../node/test-fixtures/peers.ts';
import type { ServerConfig, ToolProgress } from '../types.ts';

const overStdio: ServerConfig = {
  id: 'everything',
  transport: { type: 'stdio', command: process.execPath, args: [everything], env: { SECRET_FOR_IT: 'only this' } },
};

describe.each(['stdio', 'Streamable HTTP'] as const)('the reference server over %s', (transport) => {
  let host: McpHost;
  let stop = async (): Promise<void> => undefined;
  const call = (name: string, args = {}, options = {}): Promise<ToolResult> =>
    host.callTool({ serverId: 'everything', name }, args, options);

  beforeAll(async () => {
    let config = overStdio;
    if (transport === 'Streamable HTTP') {
      const server = await startEverything();
      stop = server.stop;
      config = { id: 'everything', transport: { type: 'http', url: server.url } };
    }
    host = await connected([config]);
  });
  afterAll(async () => {
    await host.close();
    await stop();
  });

  test('has the legacy era, a name and instructions', () => {
    const health = getHealth(host, 'everything');
    expect(health).toMatchObject({
      state: 'ready',
      phase: 'connected',
      era: 'legacy',
      protocolVersion: '2025-11-25',
    });
    expect(health.serverInfo?.name).toBe('mcp-servers/everything');
    expect(health.instructions).toContain('Everything');
    expect(health.toolCount).toBe(host.tools().length);
  });

  test('offers tools under their own names and calls them', async () => {
    expect(host.resolve('echo')?.tool).toEqual({ serverId: 'everything', name: 'echo', origin: 'server' });
    expect(await call('echo', { message: 'hi' })).toEqual({
      content: [{ type: 'text', text: 'Echo: hi' }],
      isError: false,
      outcome: 'done',
    });
    expect((await call('get-sum', { a: 2, b: 3 })).content).toEqual([
      { type: 'text', text: expect.stringContaining('5') as string },
    ]);
  });

  test('returns an image as an image', async () => {
    const { content } = await call('get-tiny-image');
    const image = content.find((part) => part.type === 'image');
    expect(image).toMatchObject({ mimeType: 'image/png', source: { data: expect.stringMatching(/^iVBOR/) as string } });
  });

  test('keeps audience and priority of content', async () => {
    const { content } = await call('get-annotated-message', { messageType: 'error', includeImage: true });
    expect(content[0]).toMatchObject({ type: 'text', audience: ['user', 'assistant'], priority: 1 });
    expect(content[1]).toMatchObject({ type: 'image', audience: ['user'], priority: 0.5 });
  });

  test('distinguishes resource links from embedded resources', async () => {
    const links = await call('get-resource-links', { count: 2 });
    expect(links.content.filter((part) => part.type === 'resource')).toHaveLength(2);
    const embedded = await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    const resource = embedded.content.find((part) => part.type === 'resource');
    expect(resource).toMatchObject({ uri: expect.any(String) as string, text: expect.any(String) as string });
  });

  test('returns structured content', async () => {
    const result = await call('get-structured-content', { location: 'New York' });
    expect(result.structured).toMatchObject({ temperature: expect.any(Number) as number });
    expect(result.isError).toBe(false);
  });

  test('reports progress of a long operation', async () => {
    const seen: ToolProgress[] = [];
    const result = await call(
      'trigger-long-running-operation',
      { duration: 0.4, steps: 4 },
      { onProgress: (progress: ToolProgress) => seen.push(progress) },
    );
    expect(result.outcome).toBe('done');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.at(-1)).toMatchObject({ progress: 4, total: 4 });
  });

  test('continues after a cancelled call, whose outcome is unknown', async () => {
    const stopper = new AbortController();
    const running = call(
      'trigger-long-running-operation',
      { duration: 60, steps: 600 },
      { signal: stopper.signal, onProgress: () => stopper.abort(new Error('private words')) },
    );
    expect(await running).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'cancelled' } });
    expect((await call('echo', { message: 'still here' })).outcome).toBe('done');
    expect(host.activeFlows).toBe(0);
  });

  test('may be retried after rejected arguments and unknown tools', async () => {
    const wrong = await call('get-sum', { a: 'two' });
    expect(wrong.isError).toBe(true);
    expect(wrong.outcome === 'not_sent' || wrong.outcome === 'done').toBe(true);
    expect(await call('no-such-tool')).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
  });
});

test('a stdio server receives its own environment variables and none of ours', async () => {
  process.env['TOOLYARD_TEST_LEAK'] = 'must not be seen';
  const host = await connected([overStdio]);
  try {
    const { content } = await host.callTool({ serverId: 'everything', name: 'get-env' }, {});
    const seen = JSON.stringify(content);
    expect(seen).toContain('only this');
    expect(seen).not.toContain('TOOLYARD_TEST_LEAK');
  } finally {
    delete process.env['TOOLYARD_TEST_LEAK'];
    await host.close();
  }
});

test('an unreachable server does not affect the others', async () => {
  const host = newHost([overStdio, { id: 'gone', transport: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }]);
  try {
    await host.connectAll();
    expect(getHealth(host, 'everything').state).toBe('ready');
    expect(getHealth(host, 'gone')).toMatchObject({ state: 'failed', error: { code: 'server_unreachable' } });
    expect(await host.callTool({ serverId: 'gone', name: 'x' }, {})).toMatchObject({ outcome: 'not_sent' });
  } finally {
    await host.close();
  }
});
