// Third-party clients connected to Toolyard's servers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { ownPort, runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getHealth, connectModern } from './connect-host.ts';
import type { Running } from './peer-commands.ts';
import { overStdio, getProgram, startOnPort } from './peer-commands.ts';

const DATE_SERVER = fileURLToPath(new URL('../../servers/date/src/bin.ts', import.meta.url));

let running: Running;
let url: string;
let folder: string;

beforeAll(async () => {
  const port = await ownPort();
  folder = mkdtempSync(join(tmpdir(), 'toolyard-clients-'));
  running = await startOnPort([SOURCE_CONDITION, DATE_SERVER, '--http', '--port', String(port)], port);
  url = `http://127.0.0.1:${port}/mcp`;
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the CLI of MCP Inspector', () => {
  async function inspect(...args: string[]): Promise<JsonValue> {
    const program = getProgram('@modelcontextprotocol/inspector', 'mcp-inspector');
    const all = [program, '--cli', url, '--transport', 'http', ...args];
    const { code, stdout, stderr } = await runNode(all, { env: { HOME: folder } });
    const parsed = parseJson(stdout);
    if (code !== 0 || !parsed.ok) throw new Error(`it ended with ${code}: ${stdout} ${stderr}`);
    return parsed.value;
  }

  test('lists and calls the tool of the date server', async () => {
    const listed = await inspect('--method', 'tools/list');
    expect(listed).toMatchObject({ tools: [{ name: 'get-date', outputSchema: { type: 'object' } }] });
    const result = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'get-date',
      '--tool-arg',
      'timezone=Asia/Tokyo',
    );
    expect(isJsonObject(result) && result['structuredContent']).toMatchObject({ timezone: 'Asia/Tokyo' });
  });
});

test('mcp-remote connects the host to a Toolyard server in the newer protocol', async () => {
  const transport = overStdio('mcp-remote', [url, '--allow-http'], { MCP_REMOTE_CONFIG_DIR: folder });
  const host = await connectModern({ id: 'remote', transport });
  try {
    expect(getHealth(host, 'remote')).toMatchObject({ era: 'modern', skipped: [] });
    const result = await host.callTool({ serverId: 'remote', name: 'get-date' }, { timezone: 'Asia/Tokyo' });
    expect(result).toMatchObject({ isError: false, outcome: 'done', structured: { timezone: 'Asia/Tokyo' } });
    expect(await host.callTool({ serverId: 'remote', name: 'get-date' }, { timezone: 'Mars/Base' })).toMatchObject({
      isError: true,
    });
  } finally {
    await host.close();
  }
});
