import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startServer } from '@toolyard/server';
import { serveDateOverHttp } from '@toolyard/server-date';
import type { ModelServer } from '@toolyard/testing';
import {
  COMPILED_ONCE,
  eventually,
  registerProcess,
  reply,
  SOURCE_CONDITION,
  startModelServer,
  startPluginServer,
  startScriptedSse,
  startScriptedWebSocket,
  within,
} from '@toolyard/testing';

const DATE_SERVER = `${process.execPath} ${fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'))}`;

/** Runs a program in this process, which has loaded the packages already, and returns what it prints. */
async function runExample(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  executed.add(name);
  let output = '';
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
  const log = vi.spyOn(console, 'log').mockImplementation((...texts) => void (output += `${texts.join(' ')}\n`));
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  try {
    await import(`./${name}.ts`);
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
  return output;
}

const executed = new Set<string>();

const modelAt = ({ url }: ModelServer): Record<string, string> => ({ BASE_URL: url, MODEL: 'scripted' });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the example', () => {
  it('agent.ts uses the tools of an MCP server', async () => {
    await using model = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } }]),
      reply.text('Late.'),
    ]);
    const output = await runExample('agent', { ...modelAt(model), MCP_SERVER: DATE_SERVER });
    expect(output).toBe('offers get-date\ncalled get-date: done\nLate.\n');
  });

  it('function-tool.ts approves the small amount and denies the large one', async () => {
    const amounts = { Ada: 20, Bob: 500 };
    const calls = Object.entries(amounts).map(([to, amount]) => ({ name: 'pay', arguments: { to, amount } }));
    await using model = await startModelServer([reply.toolCalls(calls), reply.text('Only Ada.')]);
    expect(await runExample('function-tool', modelAt(model))).toBe(
      [
        'approves pay {"to":"Ada","amount":20}',
        'denies pay {"to":"Bob","amount":500}',
        'paid 20 to Ada',
        'Only Ada.\n',
      ].join('\n'),
    );
  });

  it('streaming.ts prints the answer and its usage', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 4 };
    await using model = await startModelServer([reply.text('Once there was a light.', { usage })]);
    expect(await runExample('streaming', modelAt(model))).toBe('Once there was a light.\ndone, 4 output tokens\n');
  });

  it('store.ts keeps the conversations of two agents apart', async () => {
    await using model = await startModelServer(['Noted.', 'I do not know.', 'Green.'].map((text) => reply.text(text)));
    const database = join(temporaryFolder(), 'agents.db');
    expect(await runExample('store', { ...modelAt(model), DATABASE: database })).toBe(
      'Ada: Noted. (2 messages)\nBob: I do not know. (2 messages)\nAda: Green. (4 messages)\n',
    );
  });

  it('executor.ts runs the loop with executors of its own', async () => {
    expect(await runExample('executor')).toBe('call_llm\ncall_tool\ncall_llm\nThe sum is 5.\nfinish\ndone\n');
  });

  it('sub-agents.ts asks two experts', async () => {
    const questions = ['How long is the Rhine?', 'How long is the Elbe?'];
    await using model = await startModelServer(({ text }) => {
      const [asks, answers] = [text.includes('in one sentence'), text.includes('"tool"')];
      if (asks) return reply.text(text.includes('Rhine') ? '1230 km.' : '1094 km.');
      return answers ? reply.text('The Rhine.') : reply.toolCalls([{ name: 'ask_experts', arguments: { questions } }]);
    });
    const lines = (await runExample('sub-agents', modelAt(model))).split('\n');
    expect(lines.slice(0, 2).toSorted()).toEqual(['expert: 1094 km.', 'expert: 1230 km.']);
    expect(lines[2]).toBe('The Rhine. (2 turns)');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('1230 km.');
  });

  it('budget.ts stops at the budget with what it has', async () => {
    await using model = await startModelServer(() => reply.toolCalls([{ name: 'count', arguments: {} }]));
    expect(await runExample('budget', modelAt(model))).toBe(
      'budget of a run exhausted: 2 requests\nbudget_exceeded, after 2 calls and 2 turns\n',
    );
  });

  it('model.ts lists the models and streams one answer', async () => {
    await using model = await startModelServer([reply.text('Tokyo.')]);
    expect(await runExample('model', modelAt(model))).toBe('scripted\nTokyo.\nfinished: stop\n');
  });

  it('transports.ts connects over every transport', async () => {
    const date = await serveDateOverHttp();
    onTestFinished(() => date.close());
    await using sse = await startScriptedSse('plain');
    await using socket = await startScriptedWebSocket('plain');
    const env = { STDIO: DATE_SERVER, HTTP: date.url, SSE: sse.url, WEBSOCKET: socket.url };
    expect((await runExample('transports', env)).split('\n')).toEqual([
      'stdio: ready, get-date',
      'http: ready, get-date',
      'sse: ready, echo',
      'websocket: ready, echo',
      '',
    ]);
  });

  it('inspect.ts reports what a server offers', async () => {
    const [name, tools, first] = (await runExample('inspect', { MCP_SERVER: DATE_SERVER })).split('\n');
    expect(name).toMatch(/date.*, MCP \d{4}-\d\d-\d\d$/);
    expect(tools).toMatch(/^1 tools, \d+ tokens$/);
    expect(first).toMatch(/^ {2}get-date \d+ read-only$/);
  });

  it('plugin.ts calls an operation of an OpenAPI document', async () => {
    const city = { name: 'city', in: 'query', schema: { type: 'string' } };
    const get = { operationId: 'weather', summary: 'The weather of a city', parameters: [city], responses: {} };
    await using plugin = await startPluginServer({ '/weather': { body: { sky: 'clear' } } });
    const document = { openapi: '3.1.0', info: { title: 'Weather', version: '1' }, paths: { '/weather': { get } } };
    plugin.answer({ '/openapi.json': { body: { ...document, servers: [{ url: plugin.url }] } } });
    const output = await runExample('plugin', { PLUGIN_URL: `${plugin.url}/openapi.json` });
    expect(output).toMatch(/^weather: The weather of a city\ndone .*clear.*\n$/);
    expect(plugin.asked.at(-1)?.url).toBe('/weather?city=Tokyo');
  });

  it('schedule.ts creates, runs and deletes a schedule', async () => {
    const server = await startServer({
      dataDir: temporaryFolder(),
      host: '127.0.0.1',
      port: 0,
      token: 'token-of-the-example',
      allowHosts: [],
      ui: false,
      uiSettings: {},
      uiMcpProxy: false,
      builtInServers: [],
      flagServers: [],
      env: {},
      log: () => undefined,
    });
    onTestFinished(() => server.close());
    const env = { TOOLYARD_URL: server.url, TOOLYARD_TOKEN: 'token-of-the-example' };
    const [next, now, history] = (await runExample('schedule', env)).split('\n');
    expect(next).toMatch(/^At 09:00.*; next: \d{4}-\d\d-\d\dT0[78]:00:00\.000Z$/);
    expect(now).toMatch(/^run now: /);
    expect(history).toBe('1 in the history');
  });

  it('browser.ts runs where only the functions of a browser are', async () => {
    await using model = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: {} }]),
      reply.text('Late.'),
    ]);
    const date = await serveDateOverHttp();
    onTestFinished(() => date.close());
    const shown: string[] = [];
    const search = new URLSearchParams({ baseUrl: model.url, model: 'scripted', server: date.url });
    vi.stubGlobal('location', { search: `?${search.toString()}` });
    vi.stubGlobal('document', { body: { append: (text: string) => shown.push(text) } });
    onTestFinished(() => void vi.unstubAllGlobals());
    await runExample('browser');
    expect(shown.join('')).toBe('[get-date] Late.');
  });

  it('resume.ts survives being killed in a call and in an answer', async () => {
    executed.add('resume');
    const never = new Promise<void>(() => undefined);
    await using model = await startModelServer([
      reply.toolCalls([{ name: 'wash', arguments: {} }]),
      reply.text('Once there were dishes.', { hold: { until: never, behind: 3 } }),
      reply.text('They were clean.'),
    ]);
    const env = { ...modelAt(model), STORE: join(temporaryFolder(), 'agent.json'), SECONDS: '600' };
    expect(await killedAt(env, 'washes the dishes')).toBe('washes the dishes\n');
    expect(await killedAt(env, 'Once')).toMatch(/^resumes the run\nwash: unknown\nOnce/);
    expect(await killedAt(env, null)).toBe('resumes the run\nThey were clean.\ndone\n');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Do not repeat it');
  });

  it('is tested, whichever it is', () => {
    const names = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.ts'));
    expect([...executed, 'examples.test'].toSorted()).toEqual(names.toSorted());
  });
});

/** Runs resume.ts in a process of its own and kills it (SIGKILL) when it has printed `text`; null: lets it end. */
async function killedAt(env: Readonly<Record<string, string>>, text: string | null): Promise<string> {
  let output = '';
  const args = [SOURCE_CONDITION, join(import.meta.dirname, 'resume.ts')];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...COMPILED_ONCE, ...env } });
  registerProcess(child, 'resume.ts');
  onTestFinished(() => void child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (text !== null) {
    await eventually(() => output.includes(text), { what: `"${text}" in the output of resume.ts` });
    child.kill('SIGKILL');
  }
  await within(ended, { what: 'the end of resume.ts' });
  return output;
}
