import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ServerConfig } from '../types.ts';
import { parseMcpConfig, readMcpConfig } from './mcp-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'mcp.json');
  writeFileSync(path, text);
  return path;
}

/** The usable result of an entry. */
function configs(path: string, env: Record<string, string> = {}): (ServerConfig | string)[] {
  return readMcpConfig(path, env).map((entry) => ('config' in entry ? entry.config : entry.fault.message));
}

const one = (entry: object, env: Record<string, string> = {}): ServerConfig | string | undefined =>
  configs(file(JSON.stringify({ mcpServers: { a: entry } })), env)[0];

describe('mcp.json', () => {
  it('reads the format of Claude Desktop and Cursor', () => {
    const path = file(
      '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}, "docs": {"url": "https://example.com/mcp", "headers": {"X": "y"}}}}',
    );
    expect(configs(path)).toEqual([
      { id: 'files', transport: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' } } },
      { id: 'docs', transport: { type: 'http', url: 'https://example.com/mcp', headers: { X: 'y' } } },
    ]);
  });

  it('reads the format of VS Code, with comments and trailing commas, also inside its settings', () => {
    const path = file('{\n // mine\n "servers": {"a": {"type": "stdio", "command": "a",},},\n}');
    expect(configs(path)).toMatchObject([{ id: 'a', transport: { command: 'a' } }]);
    const settings = file('{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "b"}}}}');
    expect(configs(settings)).toMatchObject([{ id: 'a', transport: { command: 'b' } }]);
  });

  it('reads concurrency limits and skips a server with invalid ones', () => {
    expect(one({ command: 'a', processes: 'one', maxConcurrentCalls: 1 })).toMatchObject({
      processes: 'one',
      maxConcurrentCalls: 1,
    });
    expect(one({ command: 'a', processes: 'auto' })).toMatchObject({ processes: 'auto' });
    for (const processes of ['many', 1, null]) {
      expect(one({ command: 'a', processes })).toContain(
        `mcp.json, line 1: server "a": "processes" must be "auto" or "one" (got ${JSON.stringify(processes)}).`,
      );
    }
    for (const maxConcurrentCalls of [0, 1.5, '1', null, 1_001]) {
      expect(one({ command: 'a', maxConcurrentCalls })).toContain(
        `"maxConcurrentCalls" must be an integer from 1 to 1000 (got ${JSON.stringify(maxConcurrentCalls)}).`,
      );
    }
  });

  it('derives the transport of a remote server from its URL and type', () => {
    expect(one({ type: 'http', url: 'https://a.example/mcp' })).toMatchObject({ transport: { type: 'http' } });
    expect(one({ type: 'streamable-http', url: 'https://a.example/mcp' })).toMatchObject({
      transport: { type: 'http' },
    });
    expect(one({ type: 'sse', url: 'https://a.example/sse' })).toMatchObject({ transport: { type: 'sse' } });
    expect(one({ url: 'wss://a.example/mcp' })).toMatchObject({ transport: { type: 'websocket' } });
    expect(one({ type: 'ws', url: 'ws://a.example/mcp' })).toMatchObject({ transport: { type: 'websocket' } });
    expect(one({ serverUrl: 'https://a.example/mcp' })).toMatchObject({
      transport: { type: 'http', url: 'https://a.example/mcp' },
    });
    expect(one({ url: '${env:AT}', type: 'sse' }, { AT: 'http://b.example/x' })).toMatchObject({
      transport: { type: 'sse', url: 'http://b.example/x' },
    });
  });

  it('reads a hosted server with its key from a variable', () => {
    const hosted = { service: 'klavis', server: 'Gmail', apiKey: '${env:KEY}' };
    expect(one({ hosted }, { KEY: 'k' })).toMatchObject({
      transport: { type: 'hosted', server: 'Gmail', apiKey: 'k' },
    });
    expect(one({ hosted: { ...hosted, apiKey: '' } })).toContain('hosted.apiKey');
    expect(one({ hosted })).toContain('KEY is not set');
    expect(one({ hosted: { ...hosted, url: '${env:AT}' } }, { KEY: 'k', AT: 'http://a.example' })).toMatchObject({
      transport: { url: 'http://a.example' },
    });
    expect(one({ hosted: { ...hosted, url: '${env:AT}' } }, { KEY: 'k', AT: 'nowhere' })).toContain('hosted.url');
  });

  it('substitutes environment variables and folders', () => {
    const env = { KEY: 'k' };
    expect(one({ url: 'https://x.example', headers: { Authorization: 'Bearer ${env:KEY}' } }, env)).toMatchObject({
      transport: { headers: { Authorization: 'Bearer k' } },
    });
    expect(one({ command: 'a', args: ['${workspaceFolder}', '${userHome}${/}x', '${MINE}'] })).toMatchObject({
      transport: { args: [folder, `${homedir()}${sep}x`, '${MINE}'] },
    });
    mkdirSync(join(folder, '.vscode'), { recursive: true });
    const ofEditor = join(folder, '.vscode', 'mcp.json');
    writeFileSync(ofEditor, '{"servers": {"a": {"command": "a", "cwd": "${workspaceFolder}"}}}');
    expect(configs(ofEditor)).toMatchObject([{ transport: { cwd: folder } }]);
  });

  it('reads an envFile, which env overrides', () => {
    writeFileSync(join(folder, 'my.env'), '# mine\nexport A="of the file"\nB=of the file\n');
    expect(one({ command: 'a', envFile: 'my.env', env: { B: 'own' } })).toMatchObject({
      transport: { env: { A: 'of the file', B: 'own' } },
    });
    expect(one({ command: 'a', envFile: '${workspaceFolder}/none.env' })).toMatch(/"envFile" cannot be read/);
  });

  it('suggests replacements for variables that only an editor can fill in', () => {
    const path = file('{"servers": {"a": {"command": "a", "env": {"K": "${input:my-key}"}}}, "inputs": []}');
    const [entry] = readMcpConfig(path, {});
    expect(entry).toMatchObject({
      fault: { message: /\$\{input:my-key\}, which only the editor/, hint: /\$\{env:MY_KEY\}/ },
    });
  });

  it('reads disabled servers and tools', () => {
    const path = file(
      `{"mcpServers": {
        "off": {"command": "a", "disabled": true},
        "not-on": {"command": "a", "enabled": false},
        "some": {"command": "a", "disabledTools": ["x"], "excludeTools": ["y", 1], "alwaysAllow": ["z"], "autoApprove": ["z"]},
        "few": {"command": "a", "includeTools": ["only"], "callTimeoutMs": 5000, "trusted": true}
      }}`,
    );
    expect(readMcpConfig(path, {}).map(({ id, settings }) => ({ id, ...settings }))).toMatchObject([
      { id: 'off', enabled: false },
      { id: 'not-on', enabled: false },
      { id: 'some', enabled: true, disabledTools: ['x', 'y'], allowedTools: ['z'] },
      { id: 'few', onlyTools: ['only'], callTimeoutMs: 5000, trusted: true },
    ]);
    expect(configs(path)[2]).toMatchObject({ tools: { disabled: ['x', 'y'] } });
    expect(configs(path)[3]).toMatchObject({ callTimeoutMs: 5000, trusted: true, tools: { only: ['only'] } });
  });

  it('skips an invalid entry with its line and reads the others', () => {
    const path = file(
      '{\n  // mine\n  "mcpServers": {\n    "good": {"command": "a"},\n    "bad": {},\n    "also good": {"command": "b"}\n  }\n}',
    );
    expect(readMcpConfig(path, {})).toMatchObject([
      { id: 'good', config: {} },
      { id: 'bad', line: 5, fault: { code: 'bad_config', message: /mcp\.json, line 5: server "bad" has neither/ } },
      { id: 'also good', config: {} },
    ]);
  });

  it.each([
    [1, /server "a" must be an object/],
    [{}, /neither "command" nor "url"/],
    [{ command: '' }, /no "command"/],
    [{ command: 1 }, /"command" must be a string/],
    [{ command: 'x', args: 'y' }, /"args" must be a list/],
    [{ command: 'x', args: [1] }, /only strings/],
    [{ command: 'x', env: { K: 1 } }, /"env\.K" must be a string/],
    [{ url: 'ftp://x' }, /must be an http or ws URL/],
    [{ url: 'https://' }, /must be an http or ws URL/],
    [{ type: 'ws', url: 'https://x.example' }, /not a ws URL/],
    [{ type: 'grpc', url: 'https://x.example' }, /unknown type "grpc"/],
    [{ command: '${env:NOT_SET_HERE}' }, /NOT_SET_HERE is not set/],
    [{ url: 'https://me:secret@x.example/mcp' }, /^((?!secret).)*"url" contains a user name or password/],
    [{ url: 'https://x.example', headers: { 'X Key': 'k' } }, /"X Key" is not a valid header name/],
    [{ url: 'https://x.example', headers: { K: 'secret\r\nX: y' } }, /^((?!secret).)*the header "K" contains a char/],
    [{ url: 'https://x.example', headers: { K: '“secret”' } }, /^((?!secret).)*the header "K" contains a character/],
  ])('explains what is wrong with the entry %j', (entry, message) => {
    expect(configs(file(JSON.stringify({ mcpServers: { a: entry } })))).toEqual([expect.stringMatching(message)]);
  });

  it('validates substituted values too', () => {
    const env = { KEY: 'sk\u2028x', LINE: 'key\n', URL: 'https://a:b@x.example' };
    const url = 'https://x.example';
    expect(one({ url, headers: { K: 'Bearer ${env:KEY}' } }, env)).toContain('the header "K" contains a character');
    expect(one({ url: '${env:URL}' }, env)).toContain('"url" contains a user name or password');
    expect(one({ url, headers: { K: '${env:LINE}' } }, env)).toMatchObject({ transport: { headers: { K: 'key\n' } } });
  });

  it('skips a server that is defined twice and names both lines', () => {
    const path = file(
      '{"mcpServers": {\n  "a": {"command": "x"},\n  "b": {"command": "y"},\n  "a": {"command": "z"}\n}}',
    );
    expect(readMcpConfig(path, {})).toMatchObject([
      { id: 'a', fault: { message: /server "a" is defined twice \(lines 2, 4\)/, hint: /a unique name/ } },
      { id: 'b', config: {} },
    ]);
  });

  it('rejects names that cannot prefix a tool', () => {
    expect(configs(file('{"servers": {"github/mcp": {"command": "a"}, "": {"command": "a"}}}'))).toEqual([
      expect.stringMatching(/slash/),
      expect.stringMatching(/no name/),
    ]);
  });

  it.each(['', ' \n', '{}', '\uFEFF{"mcpServers": {}}', '{"inputs": []}'])('may be empty: %j', (text) => {
    expect(readMcpConfig(file(text), {})).toEqual([]);
  });

  it.each([
    ['{"mcpServers": {\n  "a": {"command": }\n}}', /mcp\.json, line 2, column 20: expected a value/],
    ['{"mcpServers": {bad}}', /line 1, column 17: invalid value: expected a string in double quotes/],
    ['{"mcpServers": {"a": {"command": "x"}}', /expected "}"/],
    ['{"mcpServers": {"a": {"command": "C:\\x"}}}', /write \\\\ for a backslash/],
    ['{"name": "something-else"}', /no "mcpServers"/],
    ['{"mcpServers": []}', /no "mcpServers"/],
    ['[]', /no "mcpServers"/],
  ])('explains what is wrong with the file %j', (text, message) => {
    expect(() => readMcpConfig(file(text), {})).toThrow(message);
  });

  it('reports a missing file', () => {
    expect(() => readMcpConfig(join(folder, 'none.json'), {})).toThrow(/The file .*none\.json/);
  });
});

it.each([
  [{ sandbox: true }, {}],
  [{ sandbox: false }, false],
  [{}, undefined],
  [{ sandbox: { read: ['${env:PLACE}'], network: ['A.Example:8443'] } }, { read: ['/p'], network: ['a.example:8443'] }],
])('reads the sandbox of an entry: %j', (entry, sandbox) => {
  const text = JSON.stringify({ mcpServers: { a: { command: 'x', ...entry } } });
  const [read] = parseMcpConfig(text, { name: 'mcp.json', folder: '/', env: { PLACE: '/p' } });
  expect(read).toHaveProperty('config');
  expect(
    read && 'config' in read && 'sandbox' in read.config.transport ? read.config.transport.sandbox : undefined,
  ).toEqual(sandbox);
});

it.each([
  [{ sandbox: { reed: [] } }, '"sandbox" has an unknown key "reed"'],
  [{ sandbox: 'yes' }, '"sandbox" must be true, false or an object'],
  [{ sandbox: { network: 'https://a.example' } }, '"sandbox.network" must be "on", "off" or a list of hosts'],
  [{ sandbox: { network: ['https://a.example/x'] } }, 'which is not a host'],
  [{ sandbox: { write: '/a' } }, '"sandbox.write" must be a list of paths'],
  [{ sandboxed: true }, 'has an unknown key "sandboxed"'],
])('skips an entry with an invalid sandbox instead of starting it without one: %j', (entry, problem) => {
  const text = JSON.stringify({ mcpServers: { a: { command: 'x', ...entry } } });
  const [read] = parseMcpConfig(text, { name: 'mcp.json', folder: '/', env: {} });
  expect(read && 'fault' in read ? read.fault.message : undefined).toContain(problem);
});
