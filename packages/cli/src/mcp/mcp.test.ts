import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpTestReport } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import { scriptedMcpCommand, startScriptedMcp, startScriptedWebSocket } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEverything } from '../test-fixtures/everything.ts';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => join(folder, 'mcp.json');
const configure = (mcpServers: object): void => writeFileSync(path(), JSON.stringify({ mcpServers }));
const mcp = (...args: string[]) => {
  const at = args.indexOf('--');
  const ours = ['--data-dir', folder];
  return runCommand(['mcp', ...(at < 0 ? [...args, ...ours] : [...args.slice(0, at), ...ours, ...args.slice(at)])]);
};
/** A command after `--`. */
const words = (behaviour: McpBehaviour): string[] => {
  const { command, args } = scriptedMcpCommand(behaviour);
  return ['--', command, ...args];
};

const TOOLS: McpBehaviour = {
  tools: [
    {
      name: 'echo',
      description: 'Gives back.',
      inputSchema: { type: 'object', properties: { n: { type: 'number' }, text: { type: 'string' } } },
      does: [{ do: 'echo' }],
    },
    { name: 'fail', does: [{ do: 'fail', text: 'It did not work.' }] },
    {
      name: 'paint',
      does: [{ do: 'result', result: { content: [{ type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' }] } }],
    },
  ],
};

describe('toolyard mcp without a running server', () => {
  it('starts no unapproved local server, and approves its exact text', async () => {
    configure({});
    await using first = await Served.start({ dataDir: folder });
    await first.stop();
    configure({ planted: scriptedMcpCommand(TOOLS) });
    const listed = await mcp('list');
    expect(listed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^planted +needs approval/m) });
    expect((await mcp('tools', 'planted')).code).toBe(1);
    // Without a terminal, it prints the entry and the command that approves it.
    const shown = await mcp('approve', 'planted');
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('"command"') });
    const [, hash = ''] = /--hash (\w+)/.exec(shown.stderr) ?? [];
    expect((await mcp('approve', 'planted', '--hash', 'wrong')).code).toBe(1);
    expect(await mcp('approve', 'planted', '--hash', hash)).toMatchObject({ code: 0 });
    expect((await mcp('tools', 'planted')).stdout).toContain('echo');
    // `mcp add` also approves the entry.
    expect(await mcp('add', 'mine', '--no-sandbox', ...words(TOOLS))).toMatchObject({ code: 0 });
    expect((await mcp('list')).stdout).toMatch(/^mine +ready/m);
  });

  it('adds a server to mcp.json, tests it, and removes it', async () => {
    writeFileSync(path(), '{\n  // mine\n  "mcpServers": {}\n}\n');
    const added = await mcp('add', 'mine', '--env', 'KEY=value', '--no-sandbox', ...words(TOOLS));
    expect(added).toMatchObject({ code: 0, stdout: '' });
    expect(added.stderr).toContain('no Toolyard server is running');
    expect(added.stderr).toMatch(/Added "mine" to mcp\.json\.\n.*Connected: 3 tools, about \d+ tokens/);
    const text = readFileSync(path(), 'utf8');
    expect(text).toContain('// mine');
    expect(JSON.parse(text.replace('// mine', ''))).toMatchObject({ mcpServers: { mine: { env: { KEY: 'value' } } } });
    expect((await mcp('add', 'mine', 'http://x.example/mcp')).code).toBe(1);
    expect(await mcp('remove', 'mine')).toMatchObject({ code: 0 });
    expect(readFileSync(path(), 'utf8')).not.toContain('KEY');
    expect(await mcp('remove', 'mine')).toMatchObject({ code: 1, stderr: expect.stringContaining('no server "mine"') });
  });

  it('keeps a variable reference and reports that the variable is not set', async () => {
    const header = 'Authorization: Bearer ${env:DOCS_KEY}';
    const added = await mcp('add', 'docs', 'https://example.com/mcp', '--sse', '--header', header);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(/DOCS_KEY is not set/) });
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual({
      mcpServers: {
        docs: { type: 'sse', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:DOCS_KEY}' } },
      },
    });
  });

  it('adds a hosted server with a key variable, and rejects invalid flags', async () => {
    const added = await mcp('add', 'mail', '--hosted', 'klavis:Gmail', '--user', 'ann');
    expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(/KLAVIS_API_KEY is not set/) });
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual({
      mcpServers: {
        mail: { hosted: { service: 'klavis', server: 'Gmail', apiKey: '${env:KLAVIS_API_KEY}', user: 'ann' } },
      },
    });
    expect(await mcp('add', 'x', '--hosted', 'Gmail')).toMatchObject({ stderr: expect.stringContaining('klavis:') });
    expect(await mcp('add', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('URL or command of the server is missing'),
    });
  });

  it('lists all servers, and errors of failed ones', async () => {
    configure({ good: scriptedMcpCommand(TOOLS), bad: {}, gone: { command: 'no-such-command-here' } });
    const { code, stdout, stderr } = await mcp('list');
    expect(code).toBe(1);
    // The title that a server gives itself comes last.
    expect(stdout).toMatch(/^date +ready +1 tool .* built in +Date and time$/m);
    expect(stdout).toMatch(/^good +ready +3 tools +\d+ tokens +MCP 2025-11-25 +mcp\.json +node/m);
    expect(stdout).toMatch(/^bad +line 1 of mcp\.json/m);
    expect(stderr).toMatch(/gone: The server "gone" cannot be started/);
    expect(stderr).toMatch(/server "bad" has neither "command" nor "url"/);
  });

  it('calls a tool with arguments as JSON, by name, or from stdin; exits with 1 if it fails', async () => {
    configure({ mine: scriptedMcpCommand(TOOLS) });
    expect(await mcp('call', 'mine', 'echo', '{"a": [1]}')).toMatchObject({ code: 0, stdout: '{"a":[1]}\n' });
    const named = await mcp('call', 'mine', 'echo', '--arg', 'n=3', '--arg', 'text=3', '--arg', 'other=true');
    expect(named.stdout).toBe('{"n":3,"text":"3","other":true}\n');
    const piped = await runCommand(['mcp', 'call', 'mine', 'echo', '-', '--data-dir', folder], { input: '{"b":2}' });
    expect(piped.stdout).toBe('{"b":2}\n');
    expect(await mcp('call', 'mine', 'fail')).toMatchObject({ code: 1, stdout: 'It did not work.\n' });
    expect((await mcp('call', 'mine', 'paint')).stdout).toBe('(image, image/png, 5 bytes)\n');
    const asJson = await mcp('call', 'mine', 'paint', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ content: [{ type: 'image', source: { data: 'aGVsbG8=' } }] });
    expect(await mcp('call', 'mine', 'echo', '[1]')).toMatchObject({ code: 1, stderr: /not a JSON object/ });
    expect(await mcp('call', 'none', 'echo')).toMatchObject({ code: 1, stderr: /no server "none"/ });
  });

  it('lists and reads resources and prompts', async () => {
    await using every = await startEverything();
    configure({ every: { url: every.url } });
    const { stdout: resources } = await mcp('resources', 'every');
    const [, uri = ''] = /^(demo:\/\/\S+features\.md)/m.exec(resources) ?? [];
    expect(resources).toMatch(/^demo:\/\/.*\{resourceId\}/m);
    expect((await mcp('read', 'every', uri)).stdout).toContain('#');
    expect(await mcp('read', 'every', 'demo://none')).toMatchObject({ code: 1 });
    expect((await mcp('prompts')).stdout).toMatch(/^every +args-prompt +city \[state\]/m);
    expect((await mcp('get', 'every', 'args-prompt', '--arg', 'city=Rome')).stdout).toMatch(/^user:\n.*Rome/);
    expect(await mcp('get', 'every', 'args-prompt')).toMatchObject({ code: 1, stderr: /needs "city"/ });
    expect((await mcp('complete', 'every', 'completable-prompt', 'department', 'E')).stdout).toBe('Engineering\n');
  });

  it('prints events and JSON-RPC messages of a server', async () => {
    configure({ mine: scriptedMcpCommand(TOOLS) });
    const { stdout } = await mcp('log', 'mine');
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info +connected$/m);
    expect(stdout).toMatch(/-> request tools\/list #\d+ /);
    expect((await mcp('log', 'mine', '--no-wire')).stdout).not.toContain('tools/list');
    const lines = (await mcp('log', 'mine', '--json')).stdout.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'event', phase: 'transport_creating' });
  });

  it('prints text of servers without control characters', async () => {
    const evil = { tools: [{ name: 'x\u001b[2J', description: 'a\u001b]0;title\u0007b\u202ec' }] };
    configure({ evil: scriptedMcpCommand(evil) });
    for (const { stdout } of [await mcp('tools', 'evil'), await mcp('test', 'evil')]) {
      expect(stdout).toContain('x[2J');

      expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
    }
  });

  it('shows hidden characters in names of resources, prompts and arguments', async () => {
    const name = 'a\u202etxt\u200b.exe';
    const answers: McpBehaviour['answers'] = {
      'resources/list': { result: { resources: [{ uri: `x://${name}`, name, mimeType: name }] } },
      'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: `x://${name}/{id}`, name }] } },
      'resources/read': { result: { contents: [{ uri: `x://${name}`, mimeType: name, blob: 'AAEC' }] } },
      'prompts/list': { result: { prompts: [{ name, description: name, arguments: [{ name }] }] } },
      'prompts/get': {
        result: { messages: [{ role: 'user', content: { type: 'resource_link', uri: `x://${name}`, name } }] },
      },
      'completion/complete': { result: { completion: { values: [name] } } },
    };
    configure({ evil: scriptedMcpCommand({ answers, capabilities: { resources: {}, prompts: {}, completions: {} } }) });
    const shown = 'a⟨U+202E⟩txt⟨U+200B⟩.exe';
    for (const [args, times] of [
      [['resources', 'evil'], 5],
      [['prompts', 'evil'], 3],
      [['get', 'evil', name], 2],
      [['complete', 'evil', name, name], 1],
    ] as const) {
      const { stdout } = await mcp(...args);
      expect(stdout.split(shown), stdout).toHaveLength(times + 1);
      expect(stdout).not.toMatch(/[\u202e\u200b]/);
    }
    const unnamed = await mcp('get', 'evil', name, '--arg', name);
    expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining(`"${shown}"`) as string });
  });
});

describe('toolyard mcp test', () => {
  it('reports timing, server, capabilities, token cost and problems of a command', async () => {
    const { code, stdout, stderr } = await mcp('test', ...words({ ...TOOLS, rawTools: [{ name: 'broken' }] }));
    expect(code).toBe(0);
    expect(stderr).toContain('starting the server for this command');
    expect(stdout).toMatch(/^Connected over stdio \(node\S*\) in \d+ ms/);
    expect(stdout).toMatch(/^Protocol +2025-11-25 \(legacy/m);
    expect(stdout).toMatch(/^Cost +about \d+ tokens in every request, for 3 tools/m);
    expect(stdout).toContain('! broken: Skipped: The tool has no inputSchema.');
    expect(stdout).toContain('! fail: The tool has no description');
  });

  it('reports why a URL does not answer, and exits with 1', async () => {
    const { code, stdout } = await mcp('test', 'http://127.0.0.1:1/mcp');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Not connected over http \(http:\/\/127\.0\.0\.1:1\/mcp\)/);
    expect(stdout).toMatch(/Log:/);
  });

  it('sends headers, and connects to WebSockets', async () => {
    await using web = await startScriptedMcp('plain', { requireToken: 'secret-1' });
    expect((await mcp('test', web.url)).stdout).toMatch(/sign-in/);
    const signed = await mcp('test', web.url, '--header', 'Authorization: Bearer secret-1', '--json');
    const report = JSON.parse(signed.stdout) as McpTestReport;
    expect(report).toMatchObject({ ok: true, offers: { tools: 1 } });
    expect(signed.stdout).not.toContain('secret-1');
    await using socket = await startScriptedWebSocket('plain');
    expect((await mcp('test', socket.url)).stdout).toMatch(/^Connected over websocket/);
  });

  it('rejects flags that cannot be combined', async () => {
    expect(await mcp('test', 'http://x.example', '--env', 'A=b')).toMatchObject({
      code: 1,
      stderr: /--env and --cwd require a local server/,
    });
    expect(await mcp('test', '--header', 'A: b', '--', 'node', 'x.js')).toMatchObject({
      code: 1,
      stderr: /--header requires a URL/,
    });
    expect(await mcp('test', 'http://x.example', '--header', 'none')).toMatchObject({
      code: 1,
      stderr: /"Name: value"/,
    });
    expect((await mcp('test')).code).toBe(2);
  });
});

describe('toolyard mcp with a running server', () => {
  it('uses the running server and says so; an added server connects there', async () => {
    await using served = await Served.start({ mcp: { mine: TOOLS } });
    const at = (...args: string[]) =>
      runCommand(['mcp', ...args.slice(0, 1), '--data-dir', served.dataDir, ...args.slice(1)]);
    const list = await at('list');
    expect(list.stderr).toContain(`the Toolyard server at ${served.url}`);
    expect(list.stdout).toMatch(/^mine /m);
    expect(await at('call', 'mine', 'echo', '{"a":1}')).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
    const added = await at('add', 'more', '--no-sandbox', ...words({ tools: [{ name: 'other' }] }));
    expect(added).toMatchObject({ code: 0, stderr: /Connected: 1 tool/ });
    expect((await at('tools', 'more')).stdout).toMatch(/^other /m);
    expect((await at('test', 'more')).stdout).toMatch(/^Connected over stdio/);
    expect((await at('log', 'more')).stdout).toContain('tools/list');
    expect((await at('prompts', 'more')).stderr).toContain('No prompts.');
    expect((await at('list', '--json')).stdout).toContain('"id": "more"');
    expect((await at('unsandboxed')).stdout).toBe('more  mode auto is not confirmed\n');
    expect(await at('unsandboxed', '--confirm-auto')).toMatchObject({ code: 1, stderr: /pass --yes/ });
    expect(await at('unsandboxed', '--confirm-auto', '--yes')).toMatchObject({ code: 0 });
    expect((await at('unsandboxed')).stdout).toBe('more  mode auto is confirmed\n');
    expect(await at('remove', 'more')).toMatchObject({ code: 0 });
    expect(await at('tools', 'more')).toMatchObject({ code: 1, stderr: /no server "more"/ });
    expect((await at('list', '--standalone')).stderr).toContain('starting the servers of mcp.json');
  });

  it('reports that the server of --server does not answer', async () => {
    expect(await mcp('list', '--server', 'http://127.0.0.1:1')).toMatchObject({ code: 1, stderr: /does not answer/ });
  });
});
