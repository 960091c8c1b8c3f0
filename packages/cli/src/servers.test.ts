import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverFromFlag, serversFrom } from './servers.ts';
import { createMemoryIo } from './test-fixtures/memory-io.ts';

describe('--mcp', () => {
  it('splits a command line with shell quoting', () => {
    expect(serverFromFlag(`npx -y some-server "/my documents" 'a b'`).transport).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'some-server', '/my documents', 'a b'],
    });
  });

  it('accepts the URL of a WebSocket', () => {
    expect(serverFromFlag('ws=wss://example.com/mcp')).toEqual({
      id: 'ws',
      transport: { type: 'websocket', url: 'wss://example.com/mcp' },
    });
  });

  it('accepts a URL', () => {
    expect(serverFromFlag('http://localhost:3000/mcp')).toEqual({
      id: 'localhost-3000',
      transport: { type: 'http', url: 'http://localhost:3000/mcp' },
    });
  });

  it.each([
    ['npx -y @modelcontextprotocol/server-everything', 'server-everything'],
    ['npx -y some-server@1.2.3', 'some-server'],
    ['npx -y @scope/some-server@latest --flag', 'some-server'],
    ['node ./tools/weather.js', 'weather'],
    ['node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio', 'server-everything'],
    ['python3 -m', 'python3'],
    ['uvx mcp-server-time', 'mcp-server-time'],
    [`sh -c 'my-server --x; true'`, 'my-server'],
    ['/usr/bin/thing', 'thing'],
    ['files=node x.js', 'files'],
    ['docs=https://example.com/mcp', 'docs'],
  ])('names the server of %s %s', (text, id) => {
    expect(serverFromFlag(text).id).toBe(id);
  });

  it('does not read an option with "=" as a name', () => {
    expect(serverFromFlag('node --title=x y.js').transport).toMatchObject({
      command: 'node',
      args: ['--title=x', 'y.js'],
    });
  });

  it.each(['', '   ', 'ftp://localhost/x', 'http://', 'name='])('says what is wrong with %j', (text) => {
    expect(() => serverFromFlag(text)).toThrow(/--mcp/);
  });

  it('gives servers with the same name unique IDs', () => {
    const servers = serversFrom({ mcp: ['node a.js', 'node b/a.js'], date: false }, createMemoryIo());
    expect(servers.map(({ id }) => id)).toEqual(['a', 'a-2']);
  });

  it('adds the bundled date server as built-in, unless --no-date', () => {
    expect(serversFrom({ mcp: [], date: true }, createMemoryIo())).toMatchObject([{ id: 'date', builtIn: true }]);
    expect(serversFrom({ mcp: [], date: false }, createMemoryIo())).toEqual([]);
  });

  it("never treats a user's server as built-in, whatever its name", () => {
    const [own] = serversFrom({ mcp: ['date=node x.js'], date: false }, createMemoryIo());
    expect(own?.builtIn).toBeUndefined();
  });

  it('loads enabled servers of the file and skips invalid ones', () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-servers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      join(folder, 'mcp.json'),
      '{"mcpServers": {"off": {"command": "${env:NOT_SET_HERE}", "disabled": true}, "bad": {}, "on": {"command": "a"}}}',
    );
    const io = createMemoryIo({ cwd: folder });
    const servers = serversFrom({ mcp: [], mcpConfig: 'mcp.json', date: false }, io);
    expect(servers.map(({ id }) => id)).toEqual(['on']);
    expect(io.stderr.text).toMatch(/^toolyard: .*line 1: server "bad" has neither "command" nor "url".*\n$/);
  });
});
