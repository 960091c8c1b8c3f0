import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, within } from '../eventually.ts';
import { needs, UNIX } from '../needs.ts';
import { isAlive, listProcessTree } from '../processes.ts';
import { COUNT_FILE_VARIABLE, LOG_FILE_VARIABLE, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';
import { scriptedMcpCommand } from './command.ts';
import { startScriptedMcp, type ScriptedMcpOptions } from './http.ts';

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scripted-mcp-'));
  leftovers.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A client by hand: the SDK's would reject most of what is tested here. */
function startChild(behaviour: McpBehaviourName | McpBehaviour, env: Record<string, string> = {}) {
  const { command, args } = scriptedMcpCommand(behaviour);
  const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env } });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = () => within(closed, { what: 'the exit of the scripted server' });
  leftovers.push(async () => {
    child.kill('SIGKILL');
    await ended();
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  let nextId = 0;

  function send(message: JsonObject): void {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  function messages(): JsonObject[] {
    return lines.flatMap((line) => {
      const parsed = parseJson(line);
      return parsed.ok && isJsonObject(parsed.value) && 'jsonrpc' in parsed.value ? [parsed.value] : [];
    });
  }
  function ask(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++nextId;
    send({ id, method, params });
    return eventually(() => messages().find((message) => message['id'] === id));
  }
  return { child, ended, lines, send, messages, ask, stderr: () => stderr, lastId: () => nextId };
}

async function connectHttp(behaviour: McpBehaviourName | McpBehaviour, options: ScriptedMcpOptions = {}) {
  const server = await startScriptedMcp(behaviour, options);
  leftovers.push(() => server.close());
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  leftovers.push(() => client.close());
  return { server, client };
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('over stdio, as a child process', () => {
  test("the plain behaviour works with the SDK's client in both eras, and exits when stdin ends", async () => {
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const era = mode === 'legacy' ? 'legacy' : 'modern';
      const transport = new StdioClientTransport(scriptedMcpCommand({ era: 'both', tools: [{ name: 'hello' }] }));
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(transport);
      expect(client.getProtocolEra()).toBe(era);
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['hello']);
      expect(await client.callTool({ name: 'hello' })).toMatchObject(text('done'));
      const pid = transport.pid ?? 0;
      await client.close();
      await eventually(() => !isAlive(pid));
    }
  });

  test('echo returns its arguments; unknown tools and methods are rejected', async () => {
    const { ask } = startChild('plain');
    expect(await ask('initialize', { protocolVersion: '2025-06-18' })).toMatchObject({
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'scripted' } },
    });
    const call = await ask('tools/call', { name: 'echo', arguments: { a: [1, '東京'] } });
    expect(call['result']).toEqual(text('{"a":[1,"東京"]}'));
    expect(await ask('tools/call', { name: 'nope' })).toMatchObject({ error: { code: -32602 } });
    expect(await ask('server/discover')).toMatchObject({ error: { code: -32601 } });
  });

  test('noise appears between the messages', async () => {
    const { ask, lines } = startChild('stdout-noise');
    expect((await ask('tools/call', { name: 'noisy' }))['result']).toEqual(text('quiet'));
    expect(lines.slice(0, 4)).toEqual(['Starting up...', '', '{"level":"info","msg":"ready"}', 'calling noisy()']);
    expect(lines.slice(4, -1)).toEqual(['[debug] about to write', 'null', '{ not json']);
  });

  test('exits at the start and during a call, with a last message on stderr', async () => {
    const atStart = startChild('exit-at-start');
    expect(await atStart.ended()).toEqual([3, null]);
    expect(atStart.stderr()).toBe('fatal: no configuration found\n');

    const inCall = startChild('exit-in-call');
    inCall.send({ id: 1, method: 'tools/call', params: { name: 'crash' } });
    expect(await inCall.ended()).toEqual([7, null]);
    expect(inCall.messages()).toEqual([]);
    expect(inCall.stderr()).toBe('fatal: out of luck\n');

    const onProbe = startChild('exit-on-unknown-method');
    onProbe.send({ id: 1, method: 'server/discover' });
    expect((await onProbe.ended())[0]).toBe(1);
  });

  test('a silent method leaves others usable, in a call and in initialize', async () => {
    const inCall = startChild('never-answers');
    inCall.send({ id: 'x', method: 'tools/call', params: { name: 'hang' } });
    await inCall.ask('ping');
    expect(inCall.messages().some((message) => message['id'] === 'x')).toBe(false);

    const inInitialize = startChild('hang-in-initialize');
    inInitialize.send({ id: 'x', method: 'initialize' });
    await inInitialize.ask('ping');
    expect(inInitialize.messages()).toHaveLength(1);
  });

  test('progress is sent on request, before the answer', async () => {
    const { ask, messages, lastId } = startChild('slow-with-progress');
    await ask('tools/call', { name: 'slow', _meta: { progressToken: 'p' } });
    expect(messages().map((message) => message['method'] ?? message['id'])).toEqual([
      ...Array<string>(5).fill('notifications/progress'),
      lastId(),
    ]);
    expect(messages()[4]).toMatchObject({ params: { progressToken: 'p', progress: 5, total: 5 } });
    await ask('tools/call', { name: 'slow' });
    expect(messages()).toHaveLength(7);
  });

  test('a cancelled call is not answered', async () => {
    const file = join(temporaryFolder(), 'go-on');
    const { ask, send, messages } = startChild({
      tools: [
        { name: 'wait', does: [{ do: 'wait_for_file', file }] },
        { name: 'later', does: [{ do: 'wait', ms: 50 }] },
      ],
    });
    send({ id: 'x', method: 'tools/call', params: { name: 'wait' } });
    send({ method: 'notifications/cancelled', params: { requestId: 'x' } });
    await ask('ping');
    writeFileSync(file, '');
    // The other one would have found the file by now.
    await ask('tools/call', { name: 'later' });
    expect(messages().map(({ id }) => id)).toEqual([1, 2]);
  });

  test('a stubborn server ignores everything but SIGKILL', async () => {
    const { child, ended, ask } = startChild('stubborn');
    await ask('ping');
    child.stdin.end();
    child.kill('SIGTERM');
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isAlive(child.pid ?? 0)).toBe(true);
    child.kill('SIGKILL');
    expect(await ended()).toEqual([null, 'SIGKILL']);
  });

  test('pages: fixed size, endless, circular', async () => {
    const sized = startChild({ tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], pages: { size: 2 } });
    const first = (await sized.ask('tools/list'))['result'];
    expect(first).toMatchObject({ tools: [{ name: 'a' }, { name: 'b' }], nextCursor: '1' });
    expect((await sized.ask('tools/list', { cursor: '1' }))['result']).toEqual({
      tools: [{ name: 'c', inputSchema: { type: 'object' } }],
    });
    const endless = startChild('endless-pagination');
    expect((await endless.ask('tools/list', { cursor: '41' }))['result']).toMatchObject({
      tools: [{ name: 'page-41' }],
      nextCursor: '42',
    });
    const looping = startChild('looping-pagination');
    expect((await looping.ask('tools/list', { cursor: '0' }))['result']).toMatchObject({ nextCursor: '0' });
    const circular = startChild('circular-pagination');
    expect((await circular.ask('tools/list', { cursor: '1' }))['result']).toMatchObject({
      tools: [{ name: 'second' }],
      nextCursor: '2',
    });
    expect((await circular.ask('tools/list', { cursor: '2' }))['result']).toMatchObject({
      tools: [{ name: 'third' }],
      nextCursor: '0',
    });
  });

  test('an endless line precedes any answer', async () => {
    const { child, send, lines } = startChild({ endlessLine: { bytes: 200_000 } });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString('utf8')));
    await eventually(() => output.length === 200_000);
    expect(lines).toEqual([]);
    send({ id: 1, method: 'ping' });
    await eventually(() => lines[0]?.startsWith('xxx'));
    expect(lines[0]?.endsWith('"result":{}}')).toBe(true);
  });

  test('a stubborn child outlives its server and ignores SIGTERM', needs(UNIX), async () => {
    const { child, send, ask } = startChild('stubborn-child');
    await ask('ping');
    const [server = 0, childPid = 0] = listProcessTree(child.pid ?? 0);
    expect([server, childPid > 0]).toEqual([child.pid, true]);
    leftovers.push(() => process.kill(childPid, 'SIGKILL'));
    process.kill(childPid, 'SIGTERM');
    const exited = once(child, 'exit');
    send({ id: 'x', method: 'tools/call', params: { name: 'crash' } });
    // Not `close`, because the child keeps the pipes open.
    expect(await within(exited, { what: 'the exit of the scripted server' })).toEqual([7, null]);
    expect(isAlive(childPid)).toBe(true);
  });

  test('a stubborn child does not keep its server from exiting with stdin', needs(UNIX), async () => {
    const { child, ask } = startChild('stubborn-child');
    await ask('ping');
    const childPid = listProcessTree(child.pid ?? 0)[1] ?? 0;
    leftovers.push(() => process.kill(childPid, 'SIGKILL'));
    const exited = once(child, 'exit');
    child.stdin.end();
    expect(await within(exited, { what: 'the exit of the scripted server' })).toEqual([0, null]);
  });

  test('malformed tools, duplicates and unknown content are sent unchanged', async () => {
    const malformed = startChild('malformed-tool');
    const { tools } = (await malformed.ask('tools/list'))['result'] as { tools: unknown[] };
    expect(tools).toHaveLength(8);
    expect(tools.slice(4, 7)).toEqual([
      { description: 'has no name', inputSchema: { type: 'object' } },
      'not even an object',
      null,
    ]);
    const twins = startChild('duplicate-names');
    expect((await twins.ask('tools/list'))['result']).toMatchObject({
      tools: [{ name: 'twin' }, { name: 'twin' }, { name: 'echo' }],
    });
    const hologram = startChild('unknown-content');
    expect((await hologram.ask('tools/call', { name: 'hologram' }))['result']).toMatchObject({
      content: [{ type: 'text' }, { type: 'hologram' }, { type: 'text' }],
    });
  });

  test('a huge result arrives completely', async () => {
    const { ask } = startChild('huge-result');
    const result = (await ask('tools/call', { name: 'huge' }))['result'] as ReturnType<typeof text>;
    expect(result.content[0]?.text.length).toBe(5_000_000);
  });

  test('a failing tool is a result, a JSON-RPC error is not', async () => {
    const { ask } = startChild({
      tools: [
        { name: 'fail', does: [{ do: 'fail', text: 'no' }] },
        { name: 'error', does: [{ do: 'error', code: -32000, message: 'never' }] },
      ],
    });
    expect((await ask('tools/call', { name: 'fail' }))['result']).toEqual({ ...text('no'), isError: true });
    expect((await ask('tools/call', { name: 'error' }))['error']).toEqual({ code: -32000, message: 'never' });
  });

  test('an execution is counted even if the server exits before it answers', async () => {
    const folder = temporaryFolder();
    const env = { [COUNT_FILE_VARIABLE]: join(folder, 'count'), [LOG_FILE_VARIABLE]: join(folder, 'log') };
    const counted = () => (existsSync(join(folder, 'count')) ? statSync(join(folder, 'count')).size : 0);
    const first = startChild('counting', env);
    expect((await first.ask('tools/call', { name: 'count' }))['result']).toEqual(text('1'));
    first.send({ id: 'x', method: 'tools/call', params: { name: 'count-then-exit' } });
    expect(await first.ended()).toEqual([9, null]);
    expect(counted()).toBe(2);
    const second = startChild('counting', env);
    expect((await second.ask('tools/call', { name: 'count' }))['result']).toEqual(text('3'));
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('count-then-exit');
  });

  test('counting without a file is an error', async () => {
    const { ask } = startChild('counting');
    expect(await ask('tools/call', { name: 'count' })).toMatchObject({ error: { code: -32603 } });
  });

  test('raw answers replace its own', async () => {
    const { ask } = startChild({ answers: { initialize: { error: { code: -1, message: 'go away' } } } });
    expect(await ask('initialize')).toMatchObject({ error: { code: -1, message: 'go away' } });
    // Also in the modern era, which adds fields to its own.
    const forgetful = startChild({ era: 'modern', answers: { 'tools/list': { result: { tools: [] } } } });
    const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
    expect((await forgetful.ask('tools/list', params))['result']).toEqual({ tools: [] });
    expect((await forgetful.ask('server/discover', params))['result']).toMatchObject({ resultType: 'complete' });
  });

  test('changed tools are announced and listed', async () => {
    const { ask, messages } = startChild('tools-list-changed');
    await ask('tools/call', { name: 'grow' });
    expect(messages()[0]).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect((await ask('tools/list'))['result']).toMatchObject({ tools: [{ name: 'echo' }, { name: 'grown' }] });
  });
});

describe('over HTTP', () => {
  test('opens, uses, drops and reopens a session', async () => {
    const { server, client } = await connectHttp('plain');
    expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject(text('{"a":1}'));
    expect(server.sessionCount).toBe(1);
    expect(server.received.map((message) => message['method'])).toContain('notifications/initialized');
    server.forgetSessions();
    await expect(client.callTool({ name: 'echo' })).rejects.toMatchObject({ status: 404 });
    const again = new Client({ name: 'test', version: '1' });
    await again.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    leftovers.push(() => again.close());
    expect(server.sessionCount).toBe(1);
  });

  test('works without sessions, and has none in the modern era', async () => {
    const { server, client } = await connectHttp('plain', { sessions: false });
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(server.sessionCount).toBe(0);

    const modern = await startScriptedMcp({ era: 'modern', tools: [{ name: 'hello' }] });
    leftovers.push(() => modern.close());
    const mode = { pin: '2026-07-28' };
    const second = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await second.connect(new StreamableHTTPClientTransport(new URL(modern.url)));
    leftovers.push(() => second.close());
    expect(await second.callTool({ name: 'hello' })).toMatchObject(text('done'));
    expect(modern.sessionCount).toBe(0);
  });

  test('accepts a client that tries the modern era first as legacy', async () => {
    const server = await startScriptedMcp('plain');
    leftovers.push(() => server.close());
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    leftovers.push(() => client.close());
    expect(client.getProtocolEra()).toBe('legacy');
  });

  test('streams progress before the result', async () => {
    const { client } = await connectHttp('slow-with-progress');
    const seen: number[] = [];
    const result = await client.callTool({ name: 'slow' }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(result).toMatchObject(text('done'));
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  test.each(['legacy', 'modern'] as const)('announces changed tools in the %s era', async (era) => {
    const server = await startScriptedMcp({
      era,
      tools: [{ name: 'grow', does: [{ do: 'set_tools', tools: [{ name: 'grown' }] }] }],
    });
    leftovers.push(() => server.close());
    let names: string[] = [];
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
        listChanged: { tools: { onChanged: (_error, tools) => (names = (tools ?? []).map((tool) => tool.name)) } },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    leftovers.push(() => client.close());
    // The notification stream opens a moment after the connection, and changes are announced once.
    await eventually(() =>
      era === 'legacy'
        ? server.requests.some(({ method }) => method === 'GET')
        : server.received.some(({ method }) => method === 'subscriptions/listen'),
    );
    await client.callTool({ name: 'grow' });
    await eventually(() => names.includes('grown'));
  });

  test('drops the call and the port on an exit', async () => {
    const { server, client } = await connectHttp('exit-in-call');
    await expect(client.callTool({ name: 'crash' })).rejects.toThrow();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('stops a silent call when its client leaves', async () => {
    const { client } = await connectHttp('never-answers');
    const leaving = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: leaving.signal });
    leaving.abort();
    await expect(call).rejects.toThrow();
    expect(await client.callTool({ name: 'echo' })).toMatchObject(text('{}'));
  });

  test('counts in the file', async () => {
    const countFile = join(temporaryFolder(), 'count');
    const { client } = await connectHttp('counting', { countFile });
    await client.callTool({ name: 'count' });
    await client.callTool({ name: 'count' });
    expect(statSync(countFile).size).toBe(2);
  });

  test('can require a token', async () => {
    const server = await startScriptedMcp('plain', { requireToken: 'secret' });
    leftovers.push(() => server.close());
    const response = await fetch(server.url, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const requestInit = { headers: { authorization: 'Bearer secret' } };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
    await client.close();
  });

  test('close ends open streams and is idempotent', async () => {
    const { server, client } = await connectHttp('never-answers');
    const call = client.callTool({ name: 'hang' });
    await eventually(() => server.received.some((message) => message['method'] === 'tools/call'));
    await Promise.all([server.close(), expect(call).rejects.toThrow()]);
    await server.close();
  });
});
