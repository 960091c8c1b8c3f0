import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import type { CommandResult } from '../test-fixtures/run-command.ts';
import { runCommand } from '../test-fixtures/run-command.ts';

// `node` in mcp.json must resolve to the Node that runs this test.
const PATH = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);

const folder = mkdtempSync(join(tmpdir(), 'toolyard-servers-'));
beforeEach(() => void vi.stubEnv('PATH', PATH));
afterAll(() => rmSync(folder, { recursive: true }));

function chat(...args: string[]): Promise<CommandResult> {
  return runCommand(['chat', '--no-date', ...args]);
}

function config(servers: object): string {
  const path = join(folder, 'mcp.json');
  writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  return path;
}

describe('toolyard chat with servers from an mcp.json', () => {
  it('starts "node" with its arguments, calls its tool, and prints the answer', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ id: 'call_1', name: 'get-date', arguments: { format: 'locale' } }]),
      reply.text('現在是下午2點30分'),
    ]);
    const date = fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'));
    const file = config({ clock: { command: 'node', args: [date] } });
    const ran = await chat(
      '--base-url',
      server.url,
      '--mcp-config',
      file,
      '--allow',
      'clock/get-date',
      '現在是幾點幾分？',
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toBe('現在是下午2點30分\n');
    expect(ran.stderr).toContain('server clock: 1 tool');
    expect(ran.stderr).toMatch(/ok: .*\d/);
    const [first, second] = server.requests.filter(({ method }) => method === 'POST');
    expect(first?.body).toMatchObject({ messages: [{ role: 'user', content: '現在是幾點幾分？' }] });
    expect(second?.body).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }],
    });
  });

  it('reports a malformed tool call with the reason on stderr and does not run it', async () => {
    await using server = await startModelServer([
      reply.text('<tool_call>{"name": "echo", "arguments": oops}</tool_call>'),
      reply.text('Sorry.'),
    ]);
    const file = config({ odd: scriptedMcpCommand('plain') });
    const ran = await chat('--base-url', server.url, '--mcp-config', file, '--allow', 'odd/echo', 'Echo');
    expect(ran.stdout).toBe('Sorry.\n');
    expect(ran.stderr).toMatch(/malformed tool call \(.+\): .*oops/);
    expect(ran.stderr).not.toContain('ok: ');
  });
});
