import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { reply, startModelServer } from '@toolyard/testing';
import { mcpFlag } from '../test-fixtures/mcp-flag.ts';
import { runCommand } from '../test-fixtures/run-command.ts';

const ECHO = { name: 'echo', arguments: { message: 'hello' } };

/** Without the request for the list of models, which has their context windows. */
const listChats = ({ requests }: ModelServer) => requests.filter(({ method }) => method === 'POST');

describe('toolyard chat "question"', () => {
  it('puts the answer on stdout and everything else on stderr', async () => {
    const ran = await runCommand(['chat', '--model', 'demo', 'What time is it in Tokyo?']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/Tokyo.*\d{1,2}:\d{2}/);
    expect(ran.stdout).not.toContain('get-date');
    expect(ran.stderr).toContain('date/get-date');
    expect(ran.stderr).toContain('demo');
  });

  it('answers 現在是幾點幾分？ in Chinese with a tool call, in both tool modes', async () => {
    for (const model of ['demo', 'demo-text']) {
      const ran = await runCommand(['chat', '--model', model, '現在是幾點幾分？']);
      expect(ran.stdout).toMatch(/現在是 .*\d/);
      expect(ran.stderr).toContain('call date/get-date');
    }
  });

  it('prints all run events as JSON lines with --json', async () => {
    const ran = await runCommand(['chat', '--model', 'demo', '--json', 'What time is it in Tokyo?']);
    const events = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events[0]).toMatchObject({ v: 1, type: 'run_started' });
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(events.some(({ type }) => type === 'tool_finished')).toBe(true);
  });

  it('reads the message from stdin with "-"', async () => {
    await using server = await startModelServer([reply.text('Yes.')]);
    const ran = await runCommand(['chat', '--base-url', server.url, '--no-date', '-'], { input: 'two\nlines\n' });
    expect(ran.stdout).toBe('Yes.\n');
    expect(server.requests.find(({ method }) => method === 'POST')?.text).toContain('two\\nlines');
  });

  it('writes no control characters to a pipe', async () => {
    const ANSWER = 'a\u001b[31mb\u001b]52;c;aGk=\u0007 \u009d0;t\u009c שלום\u200e\tc\n';
    await using server = await startModelServer([reply.text(ANSWER), reply.text(ANSWER)]);
    const ask = (...flags: string[]) => runCommand(['chat', '--base-url', server.url, '--no-date', ...flags, 'Go']);
    expect((await ask()).stdout).toBe('a[31mb]52;c;aGk= 0;t שלום\u200e\tc\n');
    const { stdout } = await ask('--json');
    expect(stdout).not.toMatch(/[\u001b\u0007\u009c\u009d]/);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events.flatMap((event) => (event.type === 'text_delta' ? event.text : [])).join('')).toBe(ANSWER);
  });

  it('writes text before a tool call to stderr in a pipe', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: {} }], { text: 'Let me look.' }),
      reply.text('Noon.'),
    ]);
    const ran = await runCommand(['chat', '--base-url', server.url, 'Time?']);
    expect(ran.stdout).toBe('Noon.\n');
    expect(ran.stderr).toContain('Let me look.');
  });

  it('sends instructions and parameters', async () => {
    await using server = await startModelServer([reply.text('.')]);
    const flags = [
      '--system',
      'Be brief.',
      '--temperature',
      '0.2',
      '--top-p',
      '0.9',
      '--max-tokens',
      '50',
      '--stop',
      'END',
      '--seed',
      '7',
    ];
    await runCommand(['chat', '--base-url', server.url, '--model', 'scripted', '--no-date', ...flags, 'Hi']);
    expect(listChats(server)[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 50,
      stop: ['END'],
      seed: 7,
    });
  });

  it('describes the tools in the prompt with --tool-mode text', async () => {
    await using server = await startModelServer([
      reply.text('<tool_call>{"name": "get-date", "arguments": {"timezone": "Asia/Tokyo"}}</tool_call>'),
      reply.text('Late.'),
    ]);
    const ran = await runCommand(['chat', '--base-url', server.url, '--tool-mode', 'text', 'Time in Tokyo?']);
    expect(ran.stdout).toBe('Late.\n');
    expect(ran.stderr).toContain('call date/get-date');
  });
});

describe('choice of the model', () => {
  it('reads base URL and key from the environment', async () => {
    await using server = await startModelServer([reply.text('Hi.')], { requireKey: 'sk-secret-123' });
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-secret-123' };
    const ran = await runCommand(['chat', 'Hello'], { env });
    expect(ran.stdout).toBe('Hi.\n');
    expect(ran.stderr).toContain(`scripted at ${server.url}`);
    expect(ran.stdout + ran.stderr).not.toContain('sk-secret');
  });

  it('works with and without /v1 in the base URL', async () => {
    for (const serveAt of ['v1', 'root'] as const) {
      await using server = await startModelServer(() => reply.text('Here.'), { serveAt });
      for (const address of [
        server.origin,
        `${server.origin}/`,
        ...(serveAt === 'v1' ? [`${server.origin}/v1`] : []),
      ]) {
        const ran = await runCommand(['chat', '--base-url', address, '--model', 'scripted', '--no-date', 'Hi']);
        expect(ran.stdout, `${serveAt} ${address} ${ran.stderr}`).toBe('Here.\n');
      }
    }
  });

  it('lists the available models if the requested one does not exist', async () => {
    await using server = await startModelServer(
      [reply.error(404, { error: { message: 'The model `nope` does not exist', code: 'model_not_found' } })],
      { models: ['qwen3', 'llama4'] },
    );
    const ran = await runCommand(['chat', '--base-url', server.url, '--model', 'nope', '--no-date', 'Hi']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('nope');
    expect(ran.stderr).toContain('qwen3, llama4');
  });

  it('reports a rejected key without printing it', async () => {
    await using server = await startModelServer([], { requireKey: 'right' });
    const ran = await runCommand([
      'chat',
      '--base-url',
      server.url,
      '--model',
      'scripted',
      '--api-key',
      'wrong-key-1',
      '--no-date',
      'Hi',
    ]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/key/i);
    expect(ran.stderr).not.toContain('wrong-key-1');
    expect(ran.stdout).toBe('');
  });

  it('reports a URL that is no model server, with the URLs it tried', async () => {
    await using server = await startModelServer([], { serveAt: 'v1', otherwise: reply.html() });
    const ran = await runCommand(['chat', '--base-url', `${server.origin}/app`, '--model', 'x', '--no-date', 'Hi']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`${server.origin}/app/chat/completions or ${server.origin}/app/v1/chat/completions`);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('reports a refused connection', async () => {
    await using server = await startModelServer([]);
    await server.close();
    const ran = await runCommand(['chat', '--base-url', server.url, '--model', 'x', '--no-date', 'Hi']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(new URL(server.url).host);
  });

  it.each([
    ['--base-url', 'not an address'],
    ['--base-url', 'ftp://example.com'],
  ])('rejects %s %s as a base URL', async (flag, value) => {
    const ran = await runCommand(['chat', flag, value, 'Hi']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(value);
  });

  it('falls back to the demo if nothing is configured or detected', async () => {
    const ran = await runCommand(['chat', 'Hello']);
    expect(ran.code).toBe(0);
    // The machine may have a model server on a usual port.
    expect(ran.stderr).toMatch(/demo \(no language model\)|\(detected\)/);
  });
});

describe('MCP servers', () => {
  it.each<[string, string, RegExp]>([
    ['does not exist', 'odd=no-such-command-anywhere', /no-such-command-anywhere/],
    ['exits at once', mcpFlag({ atStart: { stderr: 'missing API_TOKEN', exitCode: 3 } }), /missing API_TOKEN/],
  ])('reports a command that %s, and still answers', async (_what, server, message) => {
    const ran = await runCommand(['chat', '--model', 'demo', '--mcp', server, 'What time is it in Tokyo?']);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toContain('odd');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/Tokyo/);
  });

  it('ignores non-JSON output on stdout', async () => {
    const noisy = mcpFlag({
      tools: [{ name: 'echo', does: [{ do: 'echo' }] }],
      atStart: { stdout: ['Listening...', '{"x":'] },
    });
    await using server = await startModelServer([reply.toolCalls([ECHO]), reply.text('Done.')]);
    const ran = await runCommand(['chat', '--base-url', server.url, '--mcp', noisy, '--allow', 'odd/echo', 'Echo']);
    expect(ran.stdout).toBe('Done.\n');
    expect(ran.stderr).toMatch(/ok: .*hello/);
  });

  it('denies a call to the Toolyard server of its data folder, even with --allow', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-own-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify({ url: 'http://127.0.0.1:8710', pid: 1 }));
    const call = (url: string) => reply.toolCalls([{ name: 'echo', arguments: { message: 'x', url } }]);
    const script = ['8710', '8711'].map((port) => call(`http://localhost:${port}/api/mcp/servers`));
    await using server = await startModelServer([...script, reply.text('Done.')]);
    const mcp = mcpFlag({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] });
    const flags = ['chat', '--base-url', server.url, '--mcp', mcp, '--allow', 'odd/echo', 'Go'];
    const { stderr } = await runCommand(flags, { env: { TOOLYARD_DATA_DIR: dataDir } });
    expect(stderr.match(/It accesses Toolyard itself/g)).toHaveLength(1);
    expect(stderr.match(/ok: /g)).toHaveLength(1);
  });

  it('denies a call without a terminal, names --allow, and runs it with --allow', async () => {
    await using server = await startModelServer((_request, index) =>
      index % 2 === 0 ? reply.toolCalls([ECHO]) : reply.text('Done.'),
    );
    const flags = [
      'chat',
      '--base-url',
      server.url,
      '--mcp',
      mcpFlag({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] }),
    ];
    const refused = await runCommand([...flags, 'Echo']);
    expect(refused.stderr).toContain('--allow odd/echo');
    expect(refused.stderr).not.toContain('ok: ');
    for (const pattern of ['odd/echo', 'odd/*', '*/ech?']) {
      const allowed = await runCommand([...flags, '--allow', pattern, 'Echo']);
      expect(allowed.stderr).toMatch(/ok: .*hello/);
    }
    for (const pattern of ['even/*', 'odd/ech', 'odd/*x']) {
      const unknown = await runCommand([...flags, '--allow', pattern, 'Echo']);
      expect(unknown).toMatchObject({ code: 1, stdout: '' });
      expect(unknown.stderr).toContain(`--allow ${pattern} matches no tool of this chat.`);
      expect(unknown.stderr).toContain('odd');
    }
  });

  it('answers after at most five turns, or fails with --on-max-turns error', async () => {
    await using server = await startModelServer((request) =>
      (request.body as { tool_choice?: string }).tool_choice === 'none'
        ? reply.text('Enough.')
        : reply.toolCalls([{ name: 'get-date', arguments: {} }]),
    );
    const flags = ['chat', '--base-url', server.url, '--model', 'scripted'];
    const answered = await runCommand([...flags, 'Loop']);
    expect(answered.stdout).toBe('Enough.\n');
    expect(listChats(server)).toHaveLength(5);
    const failed = await runCommand([...flags, '--on-max-turns', 'error', '--max-turns', '2', 'Loop']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('2 turns');
    expect(listChats(server)).toHaveLength(7);
  });
});

describe('usage errors', () => {
  it.each([
    [['chat', '--max-turns', '0', 'x'], /whole number/],
    [['chat', '--on-max-turns', 'maybe', 'x'], /answer, error/],
    [['chat', '--nonsense', 'x'], /nonsense/],
    [['nonsense'], /nonsense/],
    [['mcp', 'serve', 'weather'], /date/],
  ])('exits with 2 for %j', async (args, message) => {
    const ran = await runCommand(args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
  });

  it.each([
    [['chat', '--model', 'demo', '  '], /empty/],
    [['chat', '--model', 'demo', '--allow', 'echo', 'x'], /server and a tool/],
    [['chat', '--model', 'demo', '--mcp-config', 'no-such-file.json', 'x'], /no-such-file\.json/],
    [['chat', '--model', 'demo', '--json'], /--json/],
  ])('exits with 1 for %j', async (args, message) => {
    const ran = await runCommand(args, { input: '' });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });
});
