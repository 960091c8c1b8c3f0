import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readMcpConfig } from './mcp-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'mcp.json');
  writeFileSync(path, text);
  return path;
}

describe('mcp.json', () => {
  it('is read as Claude Desktop and Cursor write it', () => {
    const path = file(
      '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}, "docs": {"url": "https://example.com/mcp", "headers": {"X": "y"}}}}',
    );
    expect(readMcpConfig(path, {})).toEqual([
      {
        id: 'files',
        enabled: true,
        config: { id: 'files', transport: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' } } },
      },
      {
        id: 'docs',
        enabled: true,
        config: { id: 'docs', transport: { type: 'http', url: 'https://example.com/mcp', headers: { X: 'y' } } },
      },
    ]);
  });

  it('is read as VS Code writes it, with comments and trailing commas', () => {
    const path = file('{\n // mine\n "servers": {"a": {"type": "stdio", "command": "a",},},\n}');
    expect(readMcpConfig(path, {})).toMatchObject([{ id: 'a', config: { transport: { command: 'a' } } }]);
  });

  it('tells by address and type how a remote server is reached', () => {
    const path = file(
      '{"mcpServers": {"new": {"type": "http", "url": "https://a.example/mcp"}, "old": {"type": "sse", "url": "https://a.example/sse"}, "socket": {"url": "wss://a.example/mcp"}}}',
    );
    expect(readMcpConfig(path, {}).map((entry) => 'config' in entry && entry.config.transport)).toEqual([
      { type: 'http', url: 'https://a.example/mcp' },
      { type: 'sse', url: 'https://a.example/sse' },
      { type: 'websocket', url: 'wss://a.example/mcp' },
    ]);
  });

  it('tells what is disabled, and fills in the environment', () => {
    const path = file(
      '{"mcpServers": {"off": {"command": "a", "disabled": true}, "on": {"url": "https://example.com", "headers": {"Authorization": "Bearer ${env:KEY}"}}}}',
    );
    expect(readMcpConfig(path, { KEY: 'k' })).toMatchObject([
      { id: 'off', enabled: false, config: { transport: { command: 'a' } } },
      { id: 'on', enabled: true, config: { transport: { headers: { Authorization: 'Bearer k' } } } },
    ]);
  });

  it('lets a disabled server have a fault', () => {
    const path = file('{"mcpServers": {"off": {"command": "${env:NOT_SET_HERE}", "disabled": true}}}');
    const [entry] = readMcpConfig(path, {});
    expect(entry).toMatchObject({ id: 'off', enabled: false, fault: { code: 'bad_config' } });
  });

  it('names the line of the server that is wrong', () => {
    const path = file(
      '{\n  // mine\n  "mcpServers": {\n    "good": {"command": "a"},\n    "bad": {"args": []}\n  }\n}',
    );
    expect(() => readMcpConfig(path, {})).toThrow(/mcp\.json, line 5: server "bad"/);
  });

  it.each([
    ['{"mcpServers": {\n  "a": {"command": }\n}}', /mcp\.json, line 2, column 20: a value is missing here/],
    ['{"mcpServers": {bad}}', /line 1, column 17: this is neither text in double quotes/],
    ['{"mcpServers": {"a": {"command": "x"}}', /a "}" is missing before this/],
    ['{"mcpServers": {"a": {"command": "C:\\x"}}}', /write \\\\ for a backslash itself/],
    ['{}', /no "mcpServers"/],
    ['[]', /no "mcpServers"/],
    ['{"mcpServers": {"a": 1}}', /server "a" is not an object/],
    ['{"mcpServers": {"a": {}}}', /neither "command" nor "url"/],
    ['{"mcpServers": {"a": {"command": "x", "args": "y"}}}', /"args" is not a list/],
    ['{"mcpServers": {"a": {"command": "x", "args": [1]}}}', /not a text/],
    ['{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}', /"env\.K" is not a text/],
    ['{"mcpServers": {"a": {"url": "ftp://x"}}}', /not an http or ws address/],
    ['{"mcpServers": {"a": {"command": "${env:NOT_SET_HERE}"}}}', /NOT_SET_HERE is not set/],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => readMcpConfig(file(text), {})).toThrow(message);
  });

  it('says that the file is not there', () => {
    expect(() => readMcpConfig(join(folder, 'none.json'), {})).toThrow(/There is no file .*none\.json/);
  });
});
