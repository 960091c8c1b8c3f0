import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { nodePlatform } from '@toolyard/agent-host/node';
import { McpHost } from '@toolyard/mcp-host';
import type { TransportConfig } from '@toolyard/mcp-host';
import { eventually, within } from '@toolyard/testing';
import { NODE_ARGS } from './test-fixtures/spawn-command.ts';

const SERVE = [...NODE_ARGS, 'mcp', 'serve', 'date'];

async function callGetDate(transport: TransportConfig): Promise<string> {
  const { createTransport, clock } = nodePlatform();
  await using host = new McpHost({
    servers: [{ id: 'date', transport }],
    createTransport,
    clock,
    clientInfo: { name: 'test', version: '0' },
  });
  await host.connectAll();
  const { content } = await host.callTool({ serverId: 'date', name: 'get-date' }, { timezone: 'Asia/Tokyo' });
  return JSON.stringify(content);
}

describe('toolyard mcp serve date', () => {
  it('serves over stdio', async () => {
    expect(await callGetDate({ type: 'stdio', command: process.execPath, args: SERVE })).toContain('+09:00');
  });

  it('serves over Streamable HTTP and prints its URL', async () => {
    const child = spawn(process.execPath, [...SERVE, '--http', '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      let output = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      const url = await eventually(
        () => {
          const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output)?.[0];
          if (found === undefined) throw new Error(`no URL in: ${output}`);
          return found;
        },
        { what: 'the URL on stderr' },
      );
      expect(await callGetDate({ type: 'http', url })).toContain('+09:00');
    } finally {
      child.kill('SIGTERM');
      expect(await within(once(child, 'exit'), { what: 'the exit of mcp-serve' })).toEqual([0, null]);
    }
  });
});
