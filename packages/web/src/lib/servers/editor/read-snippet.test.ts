import { describe, expect, it } from 'vitest';
import { nameFor, splitCommand } from './command-line.ts';
import { readSnippet } from './read-snippet.ts';
import { toNewFields } from './server-form.ts';

const readEntries = (text: string) => {
  const read = readSnippet(text);
  return read.ok ? read.entries : read.problem;
};
const files = { type: 'stdio', command: 'npx', args: ['-y', 'server-files', '/tmp'], env: {} };

describe('pasted snippets', () => {
  it.each([
    ['Claude Desktop, Cursor', '{"mcpServers":{"files":{"command":"npx","args":["-y","server-files","/tmp"]}}}'],
    ['VS Code', '{"servers":{"files":{"type":"stdio","command":"npx","args":["-y","server-files","/tmp"]}}}'],
    ['settings.json of VS Code', '{"mcp":{"servers":{"files":{"command":"npx","args":["-y","server-files","/tmp"]}}}}'],
    ['entries by name', '{"files":{"command":"npx","args":["-y","server-files","/tmp"]}}'],
    ['one entry without braces', '"files": {"command":"npx","args":["-y","server-files","/tmp"]},'],
    ['one entry without its name', '{"command":"npx","args":["-y","server-files","/tmp"]}'],
    ['a command line', '$ npx -y server-files /tmp'],
    ['all in one text', '{"mcpServers":{"files":{"command":"npx -y server-files /tmp"}}}'],
    ['comments', '{\n// mine\n"mcpServers":{"files":{"command":"npx","args":["-y","server-files","/tmp",],},},}'],
  ])('are parsed: %s', (_name, text) => {
    expect(readEntries(text)).toEqual([
      { id: 'files', enabled: true, draft: { id: 'files', transport: files }, gaps: [] },
    ]);
  });

  it.each([
    ['{"x":{"url":"https://a.example/mcp"}}', 'http'],
    ['{"x":{"url":"https://a.example/sse","type":"sse"}}', 'sse'],
    ['{"x":{"serverUrl":"https://a.example/mcp"}}', 'http'],
    ['{"x":{"httpUrl":"https://a.example/mcp","type":"streamable-http"}}', 'http'],
    ['{"x":{"url":"wss://a.example/mcp"}}', 'websocket'],
    ['{"x":{"url":"${env:HOST}/mcp"}}', 'http'],
    ['https://x.example/mcp', 'http'],
  ])('are parsed as a remote server: %s', (text, type) => {
    expect(readEntries(text)).toMatchObject([{ id: 'x', draft: { transport: { type } } }]);
  });

  it.each([
    [
      'a comment before JSON',
      '// mine\n/* and\nyours */ {"files":{"command":"npx","args":["-y","server-files","/tmp"]}}',
    ],
    ['a comment before an entry', '// mine\n"files": {"command":"npx","args":["-y","server-files","/tmp"]}'],
    ['Claude Code', 'claude mcp add files -- npx -y server-files /tmp'],
    ['Claude Code over lines', 'claude mcp add --scope user files \\\n  -- npx -y server-files /tmp'],
    ['Gemini', 'gemini mcp add -s user files npx -y server-files /tmp'],
    ['JSON for Claude Code', `claude mcp add-json files '{"command":"npx","args":["-y","server-files","/tmp"]}'`],
    ['VS Code', `code --add-mcp '{"name":"files","command":"npx","args":["-y","server-files","/tmp"]}'`],
    ['VS Code on Windows', 'code --add-mcp "{\\"name\\":\\"files\\",\\"command\\":\\"npx -y server-files /tmp\\"}"'],
  ])('are parsed: %s', (_name, text) => {
    expect(readEntries(text)).toMatchObject([{ id: 'files', draft: { transport: files } }]);
  });

  it('reads transport, headers and variables of a command that adds a server', () => {
    const add = 'claude mcp add --transport sse notion https://a.example/sse --header "Authorization: Bearer k:1"';
    expect(readEntries(add)).toMatchObject([
      {
        id: 'notion',
        draft: { transport: { type: 'sse', url: 'https://a.example/sse', headers: { Authorization: 'Bearer k:1' } } },
      },
    ]);
    expect(readEntries('claude mcp add --transport=http https://mcp.notion.com/mcp')).toMatchObject([
      { id: 'notion', draft: { transport: { type: 'http' } } },
    ]);
    expect(readEntries('codex mcp add a --env KEY=a=b -e ON=1 -- npx --env=x b')).toMatchObject([
      { id: 'a', draft: { transport: { command: 'npx', args: ['--env=x', 'b'], env: { KEY: 'a=b', ON: '1' } } } },
    ]);
  });

  it.each([
    'Install the server with npx, please.',
    'Add the "files" server',
    'please add this server to my list',
    '請安裝這個伺服器',
    '• npx -y server',
  ])('do not include prose: %s', (text) => {
    expect(readEntries(text)).toEqual({ kind: 'no servers' });
  });

  it('keeps headers and variables verbatim, and lists placeholders that only an editor can fill in', () => {
    const text = `{"mcpServers":{"a":{"url":"https://a.example","headers":{"Authorization":"Bearer \${input:key}"},
      "disabled":true},"b":{"command":"b","env":{"PORT":80,"ON":true,"OFF":null},"envFile":".env"}}}`;
    expect(readEntries(text)).toMatchObject([
      {
        enabled: false,
        draft: { transport: { headers: { Authorization: 'Bearer ${input:key}' } } },
        gaps: ['${input:key}'],
      },
      { draft: { transport: { env: { PORT: '80', ON: 'true' }, envFile: '.env' } } },
    ]);
  });

  it('rejects an invalid entry and accepts the others', () => {
    const text =
      '{"mcpServers":{"a":{},"b":7,"c":{"url":"ftp://c"},"d":{"command":"d","args":[{}]},"e":{"command":"e"}}}';
    expect(readEntries(text)).toMatchObject([
      { id: 'a', problem: { kind: 'neither' } },
      { id: 'b', problem: { kind: 'neither' } },
      { id: 'c', problem: { kind: 'address', url: 'ftp://c' } },
      { id: 'd', problem: { kind: 'part', part: 'args' } },
      { id: 'e', draft: { transport: { command: 'e' } } },
    ]);
  });

  it('keeps timeouts and concurrency, and rejects an entry with an invalid one', () => {
    const limits = { callTimeoutMs: 5_000, connectTimeoutMs: 90_000, processes: 'one', maxConcurrentCalls: 3 };
    const entries = readEntries(JSON.stringify({ mcpServers: { a: { command: 'a', ...limits } } }));
    expect(entries).toMatchObject([{ draft: limits }]);
    const [only] = Array.isArray(entries) ? entries : [];
    expect(only !== undefined && 'draft' in only && toNewFields(only.draft)).toMatchObject({
      callTimeout: '5',
      connectTimeout: '90',
      maxCalls: '3',
      oneConnection: true,
    });
    for (const [part, value] of [
      ['callTimeoutMs', '5s'],
      ['connectTimeoutMs', 1e9],
      ['processes', 'many'],
      ['maxConcurrentCalls', 0],
    ]) {
      const text = JSON.stringify({ mcpServers: { a: { command: 'a', [String(part)]: value } } });
      expect(readEntries(text)).toMatchObject([{ problem: { kind: 'limit', part, value: JSON.stringify(value) } }]);
    }
  });

  it('reports the position of invalid JSON, and snippets without a server', () => {
    expect(readEntries('{\n"mcpServers": {\n  "a": {"command" "x"}\n}}')).toEqual({ kind: 'json', line: 3 });
    for (const text of ['', '{}', '[]', '{"mcpServers":{}}', 'two\nlines']) {
      expect(readEntries(text)).toEqual({ kind: 'no servers' });
    }
  });
});

it('splits a command line as a shell does, and keeps Windows paths', () => {
  expect(splitCommand(`npx -y "my server" --name='a b' C:\\Tools\\x.exe "say \\"hi\\"" ""`)).toEqual([
    'npx',
    '-y',
    'my server',
    '--name=a b',
    'C:\\Tools\\x.exe',
    'say "hi"',
    '',
  ]);
});

it.each([
  [['npx', '-y', '@modelcontextprotocol/server-everything@1.2.3', 'stdio'], 'everything'],
  [['uvx', 'mcp-server-git'], 'git'],
  [['node', '/opt/tools/weather.mjs'], 'weather'],
  [['weather-mcp'], 'weather'],
  [['https://mcp.context7.com/mcp'], 'context7'],
  [['http://localhost:8080/mcp'], 'localhost'],
])('proposes a name for %j', (words, name) => {
  expect(nameFor(words)).toBe(name);
});
