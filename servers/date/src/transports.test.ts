import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { eventually, programArgs, registerProcess, within } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { serveDateOverHttp } from './http.ts';
import { VERSION } from './server.ts';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));
const now = () => Date.parse('2026-11-05T05:03:07Z');
const eras = [
  ['legacy', 'legacy'],
  ['modern', { pin: '2026-07-28' }],
] as const;

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end();
});

function start(...args: string[]): ChildProcess & { stderrText: () => string; stdoutText: () => string } {
  const child = registerProcess(
    spawn(process.execPath, [...programArgs(bin), ...args], { stdio: 'pipe' }),
    'date server',
  );
  const ended = once(child, 'close');
  leftovers.push(async () => {
    child.kill('SIGKILL');
    await within(ended, { what: 'the exit of the date server' });
  });
  let stderr = '';
  let stdout = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return Object.assign(child, { stderrText: () => stderr, stdoutText: () => stdout });
}

/** Its exit code and signal. */
function waitForExit(child: ChildProcess): Promise<unknown[]> {
  return within(once(child, 'close'), { what: 'the exit of the date server' });
}

async function connect(transport: Transport, mode: (typeof eras)[number][1]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  leftovers.push(() => client.close());
  return client;
}

async function waitForUrl(child: ReturnType<typeof start>): Promise<string> {
  await eventually(() => child.stderrText().includes('\n'), { what: 'the first line of stderr' });
  const url = /http:\S+/.exec(child.stderrText())?.[0];
  if (url === undefined) throw new Error(child.stderrText());
  return url;
}

describe.each(eras)('in the %s era', (era, mode) => {
  const open = {
    stdio: async () => new StdioClientTransport({ command: process.execPath, args: programArgs(bin) }),
    http: async () => {
      const server = await serveDateOverHttp({ now });
      leftovers.push(() => server.close());
      return new StreamableHTTPClientTransport(new URL(server.url));
    },
  };

  describe.each(['stdio', 'http'] as const)('over %s', (kind) => {
    test('lists the tool and answers with text and structured content', async () => {
      const client = await connect(await open[kind](), mode);
      expect(client.getProtocolEra()).toBe(era);
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([
        { name: 'get-date', title: 'Get date', annotations: { readOnlyHint: true, idempotentHint: true } },
      ]);
      const result = await client.callTool({
        name: 'get-date',
        arguments: { format: 'datetime', timezone: 'asia/tokyo', locale: 'ja' },
      });
      expect(result).toMatchObject({
        structuredContent: { timezone: 'Asia/Tokyo', utcOffset: '+09:00', locale: 'ja' },
      });
      if (kind === 'http') expect(result.content).toEqual([{ type: 'text', text: '2026-11-05 14:03:07' }]);
    });

    test('answers an invalid value with an error of the tool, not of the protocol', async () => {
      const client = await connect(await open[kind](), mode);
      const result = await client.callTool({ name: 'get-date', arguments: { timezone: 'Tokio' } });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('Asia/Tokyo') as string }],
      });
    });

    test('rejects an unknown tool and lists the available ones', async () => {
      const client = await connect(await open[kind](), mode);
      const call = client.callTool({ name: 'get-time', arguments: {} });
      await expect(call).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('get-date') as string,
      });
    });
  });
});

describe('the process', () => {
  test('exits with 0 when stdin ends, before the first message and after one', async () => {
    const silent = start();
    silent.stdin?.end();
    expect(await waitForExit(silent)).toEqual([0, null]);

    const used = start();
    used.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    await within(once(used.stdout ?? used, 'data'), { what: 'an answer' });
    used.stdin?.end();
    expect(await waitForExit(used)).toEqual([0, null]);
  });

  test('answers piped input before it exits', async () => {
    const child = start();
    child.stdin?.end(
      ['tools/list', 'tools/list', 'tools/list']
        .map((method, id) => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`)
        .join(''),
    );
    expect(await waitForExit(child)).toEqual([0, null]);
    expect(child.stdoutText().trim().split('\n')).toHaveLength(3);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 on %s, over stdio and HTTP', async (signal) => {
    const stdio = start();
    stdio.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    await within(once(stdio.stdout ?? stdio, 'data'), { what: 'an answer' });
    stdio.kill(signal);
    expect(await waitForExit(stdio)).toEqual([0, null]);

    const http = start('--http', '--port', '0');
    await waitForUrl(http);
    http.kill(signal);
    expect(await waitForExit(http)).toEqual([0, null]);
  });

  test('--http prints its URL once it listens, and does not depend on stdin', async () => {
    const child = start('--http', '--port', '0');
    child.stdin?.end();
    const client = await connect(new StreamableHTTPClientTransport(new URL(await waitForUrl(child))), 'legacy');
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(child.stdoutText()).toBe('');
  });

  test('reports a port in use in one line', async () => {
    const server = await serveDateOverHttp();
    leftovers.push(() => server.close());
    const child = start('--http', '--port', new URL(server.url).port);
    expect(await waitForExit(child)).toEqual([1, null]);
    expect(child.stderrText()).toMatch(/^toolyard-server-date: port \d+ is in use; choose another with --port\n$/);
  });

  test.each([
    [['--help'], 0, /^Usage/, /^$/],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['--htp'], 2, /^$/, /Unknown option '--htp'/],
    [['--port', '1'], 2, /^$/, /--port requires --http/],
    [['--http', '--port', '70000'], 2, /^$/, /from 0 to 65535 \(got "70000"\)/],
    [['--http', '--port', 'x'], 2, /^$/, /from 0 to 65535 \(got "x"\)/],
    [['extra'], 2, /^$/, /Unexpected argument 'extra'/],
  ])('%j', async (args, code, stdout, stderr) => {
    const child = start(...args);
    expect(await waitForExit(child)).toEqual([code, null]);
    expect(child.stdoutText()).toMatch(stdout);
    expect(child.stderrText()).toMatch(stderr);
    expect(child.stderrText()).not.toContain('    at ');
  });
});

describe('over HTTP', () => {
  const ask = async (url: string, headers: Record<string, string>): Promise<number> => {
    const clientRequest = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    clientRequest.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    const [response] = (await within(once(clientRequest, 'response'), { what: `the response of ${url}` })) as [
      IncomingMessage,
    ];
    response.resume();
    return response.statusCode ?? 0;
  };

  test('rejects another Host or Origin on every path', async () => {
    const server = await serveDateOverHttp();
    leftovers.push(() => server.close());
    const accept = { accept: 'application/json, text/event-stream' };
    expect(await ask(server.url, accept)).toBe(200);
    expect(await ask(server.url, { ...accept, origin: 'http://localhost:5173' })).toBe(200);
    expect(await ask(server.url, { ...accept, host: 'evil.example' })).toBe(403);
    expect(await ask(server.url, { ...accept, origin: 'http://evil.example' })).toBe(403);
    expect(await ask(server.url, { ...accept, origin: 'null' })).toBe(403);
    expect(await ask(new URL('/', server.url).href, { ...accept, host: 'evil.example' })).toBe(403);
    expect(await ask(new URL('/other', server.url).href, accept)).toBe(404);
  });

  test('listens on the loopback address only', async () => {
    const server = await serveDateOverHttp();
    leftovers.push(() => server.close());
    const other = new URL(server.url);
    // On Linux all of 127/8 is loopback, so a server on every address would answer here.
    other.hostname = process.platform === 'linux' ? '127.0.0.2' : '[::1]';
    await expect(ask(other.href, { host: 'localhost' })).rejects.toThrow('ECONNREFUSED');
  });

  test('close ends an open connection and is idempotent', async () => {
    const server = await serveDateOverHttp();
    await ask(server.url, { accept: 'application/json, text/event-stream', connection: 'keep-alive' });
    await server.close();
    await server.close();
    await expect(ask(server.url, {})).rejects.toThrow();
  });
});

test('serverInfo contains the package version', () => {
  expect(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).toContain(`"version": "${VERSION}"`);
});
