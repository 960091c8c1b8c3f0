import { expect, it, onTestFinished } from 'vitest';
import type {
  LeasedTabRun,
  McpServerList,
  McpToolDetail,
  Page,
  ProviderView,
  RunRecord,
  SentMessage,
  TabRunTools,
  ToolResult,
} from '@toolyard/protocol';
import { TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { eventually, startScriptedMcp, within } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { call } from './support/api.ts';
import { CALLS, expectRunOverRoles, expectCompleteRun, TURNS } from './support/complete-run.ts';
import { waitForConnections } from './support/wait-for-connections.ts';
import type { LivesDatabase, ServerInstancesOptions, LocalServerInstance } from './support/server-instances.ts';
import { EXPIRE_HELD_SERVERS, EXPIRE_LEASES, ServerInstances, LONG_LEASES } from './support/server-instances.ts';
import { ask, TestUser, readView } from './support/test-user.ts';
import { transcriptLines } from './support/transcript.ts';

type Trio = { web: LocalServerInstance; worker: LocalServerInstance; tools: LocalServerInstance };

/** One server of each role in the process of the test, and the worker connected to the tool server. */
async function trio(lives: ServerInstances): Promise<Trio> {
  const [web, worker, tools] = [
    await lives.startHere('web'),
    await lives.startHere('worker'),
    await lives.startHere('tools'),
  ];
  await waitForConnections([worker], isReady);
  return { web, worker, tools };
}

const isReady = ({ ready }: { ready?: number }): boolean => ready === 1;

const readState = async (url: string, server = 'counter'): Promise<string | undefined> =>
  (await call<McpServerList>(url, 'GET', '/api/mcp/servers')).items.find(({ id }) => id === server)?.state;

describeOnDatabases('processes with roles over one database', (cluster) => {
  const database = async (more: Partial<LivesDatabase> = {}): Promise<LivesDatabase> => ({
    url: await cluster().createDatabase(),
    ...more,
  });

  it('a run of the web process is executed by a worker, with a local server of the tools process', async () => {
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: await database() });
    const { web, worker, tools } = await trio(lives);
    await expectRunOverRoles(lives, { web, worker, tools });
  });

  it('a run in a tab of the web process calls a local server of the tools process', async () => {
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: await database() });
    const { web } = await trio(lives);
    const post = <T>(path: string, body: object): Promise<T> => call<T>(web.url, 'POST', path, body);
    const { items: providers } = await call<Page<ProviderView>>(web.url, 'GET', '/api/providers');
    const model = { providerId: providers[0]?.id, modelId: 'scripted' };
    const { id: conversationId } = await post<{ id: string }>('/api/conversations', { configuration: { model } });
    const parts = [{ type: 'text', text: 'Count.' }];
    const { fence } = await post<LeasedTabRun>('/api/tabs/t/runs', { v, conversationId, id: 'r', parts });
    const calls = [{ tool: { serverId: 'counter', name: 'count' }, arguments: {} }];
    const read = () => post<TabRunTools>('/api/tabs/t/runs/r/tools', { fence, calls });
    const { listed, verdicts } = await read();
    expect(listed?.tools.map(({ tool }) => `${tool.serverId}/${tool.name}`)).toContain('counter/count');
    expect(verdicts).toMatchObject([{ decision: 'ask' }]);
    const [{ tool }] = calls as [(typeof calls)[0]];
    await call(web.url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'allow' });
    expect(await read()).toMatchObject({ verdicts: [{ decision: 'run' }] });
    const part = { type: 'tool_call', callId: 'r.0.0', name: 'count', tool, arguments: {} };
    const of = { id: 'r.0', parentId: 'r', createdAt: 5, role: 'assistant', runId: 'r', model: 'scripted' };
    const message = { ...of, finishReason: 'tool_calls', parts: [part] };
    await post('/api/tabs/t/runs/r/commit', {
      ...{ v, fence, number: 1, baseSeq: 0, events: [], messages: [{ conversationId, message }] },
      ledger: [
        { change: 'plan', callId: 'r.0.0', tool, arguments: {} },
        { change: 'move', callId: 'r.0.0', from: 'planned', to: 'sent' },
      ],
    });
    const made = () => post('/api/tabs/t/runs/r/tool-calls/r.0.0', { fence });
    expect(await Promise.all([made(), made()])).toMatchObject([
      { result: { outcome: 'done' } },
      { result: { outcome: 'done' } },
    ]);
    expect(lives.counted).toBe(1);
  });

  it('a server changed in the tools process also changes in the web process, whose actions affect it there', async () => {
    await using lives = await ServerInstances.of(TURNS, {
      ...LONG_LEASES,
      database: await database(),
      tools: {
        instructions: 'Count with care.',
        tools: [
          { name: 'count', does: [{ do: 'count' }] },
          { name: 'grow', does: [{ do: 'set_tools', tools: [{ name: 'grown', does: [{ do: 'echo' }] }] }] },
        ],
      },
    });
    const web = await lives.startHere('web');
    const path = '/api/mcp/servers/counter';
    expect(await call<McpServerList>(web.url, 'GET', '/api/mcp/servers')).toMatchObject({
      items: [
        { id: 'counter', state: 'failed', error: { message: expect.stringContaining('role "tools"') as string } },
      ],
    });
    await expect(call(web.url, 'POST', `${path}/tools/call`, { tool: 'count' })).rejects.toThrow('--role tools');
    await lives.startHere('tools');
    await eventually(async () => (await readState(web.url)) === 'ready', { what: 'the local server' });
    const listTools = async (): Promise<string[]> =>
      (await call<Page<McpToolDetail>>(web.url, 'GET', `${path}/tools`)).items.map(({ name }) => name);
    expect(await listTools()).toEqual(['count', 'grow']);
    expect(await call<ToolResult>(web.url, 'POST', `${path}/tools/call`, { tool: 'count' })).toMatchObject({
      isError: false,
    });
    expect(lives.counted).toBe(1);
    await call(web.url, 'POST', `${path}/tools/call`, { tool: 'grow' });
    await eventually(async () => (await listTools()).join() === 'grown', { what: 'the new tool' });
    expect(await call<{ items: object[] }>(web.url, 'GET', `${path}/log`)).toMatchObject({
      items: expect.anything() as object,
    });
    // Disabled at the web process, it stops in the tools process; enabled again, it starts there.
    await call(web.url, 'PATCH', path, { enabled: false });
    await eventually(async () => (await readState(web.url)) === 'disabled', { what: 'the disabled server' });
    await call(web.url, 'PATCH', path, { enabled: true });
    await eventually(async () => (await listTools()).join() === 'count,grow', { what: 'the restarted server' });
    const before = lives.starts;
    await call(web.url, 'POST', `${path}/reconnect`, {});
    await eventually(async () => lives.starts > before && (await readState(web.url)) === 'ready', {
      what: 'the reconnected server',
    });
  });

  it('a tools process killed during a call: the outcome is unknown, the call is not repeated, and another process runs the server', async () => {
    const isBack = Promise.withResolvers<void>();
    const shared = await database();
    // Both calls of the first turn are in progress when the process is killed.
    await using lives = await ServerInstances.of([2, 1, 1, 3], {
      ...LONG_LEASES,
      database: shared,
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
      modelWaits: (messages) => (messages.some(({ role }) => role === 'tool') ? isBack.promise : undefined),
    });
    const web = await lives.startHere('web');
    const worker = await lives.startHere('worker');
    const tools = await lives.start(undefined, 'tools');
    await waitForConnections([worker], isReady);
    const person = new TestUser(() => ({ decision: 'failed' }), await ask(web.url));
    const followed = person.goOn(web.url);
    await eventually(() => lives.counted === 2, { what: 'the first two calls' });
    await tools.end();
    lives.releaseTools();
    // Otherwise the worker could still be ready by the connection to the killed process.
    await waitForConnections([worker], (states) => !isReady(states));
    await cluster().query(shared.url, EXPIRE_HELD_SERVERS);
    await lives.startHere('tools');
    await eventually(() => lives.starts === 2, { what: 'the tool server at the other process' });
    await waitForConnections([worker], isReady);
    isBack.resolve();
    expect(await followed).toBe('over');
    expect(person.events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    const outcomes = transcriptLines((await readView(web.url)).page.messages).flatMap(
      (line) => /^tool: .* \((\w+)\)$/s.exec(line)?.[1] ?? [],
    );
    expect(outcomes).toHaveLength(CALLS);
    expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(2);
    expect(outcomes.at(-1)).toBe('done');
    expect(new Set(lives.made).size).toBe(lives.made.length);
    expect(lives.starts).toBe(2);
  });

  it('workers connect to a remote server, and the web process uses their connections', async () => {
    const scripted = await startScriptedMcp({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] });
    onTestFinished(() => scripted.close());
    const lab = { id: 'lab', transport: { type: 'http' as const, url: scripted.url } };
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: await database(), others: [lab] });
    const web = await lives.startHere('web');
    const tryIt = { transport: { type: 'http', url: scripted.url } };
    await expect(call(web.url, 'POST', '/api/mcp/test', tryIt)).rejects.toThrow('--role worker');
    const first = await lives.startHere('worker');
    await lives.startHere('worker');
    const whenReady = (): Promise<unknown> =>
      eventually(async () => (await readState(web.url, 'lab')) === 'ready', { what: 'the remote server' });
    await whenReady();
    const echo = (): Promise<ToolResult> =>
      call(web.url, 'POST', '/api/mcp/servers/lab/tools/call', { tool: 'echo', arguments: { a: 1 } });
    expect(await echo()).toMatchObject({ isError: false, content: [{ text: '{"a":1}' }] });
    expect(await call(web.url, 'POST', '/api/mcp/test', tryIt)).toMatchObject({ ok: true });
    // The other worker is connected, too, and now reports the state of the server.
    await first.end();
    await whenReady();
    expect(await echo()).toMatchObject({ isError: false });
  });

  it('an elicitation of a local server is answered at the web process', async () => {
    const requestedSchema = { type: 'object', properties: { city: { type: 'string' } } };
    const request = { method: 'elicitation/create', params: { message: 'Where?', requestedSchema } };
    await using lives = await ServerInstances.of([1], {
      ...LONG_LEASES,
      database: await database(),
      tools: { tools: [{ name: 'count', does: [{ do: 'request', ...request }, { do: 'tell_answers' }] }] },
    });
    const { web } = await trio(lives);
    const person = new TestUser(() => ({ decision: 'failed' }), await ask(web.url));
    expect(await person.goOn(web.url)).toBe('over');
    const answered = await person.answered(web.url);
    expect(answered.map(({ interrupt }) => interrupt.kind).toSorted()).toEqual(['approval', 'elicitation']);
    expect(transcriptLines((await readView(web.url)).page.messages).join()).toContain('Taipei');
  });

  it('another worker continues the run of a worker that was killed, with the same local server', async () => {
    const shared = await database();
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: shared });
    const web = await lives.startHere('web');
    await lives.startHere('tools');
    // The only worker, so it executes the whole run.
    const worker = await lives.start({ place: 'run:returned', hit: 3 }, 'worker');
    await waitForConnections([worker], isReady);
    const person = new TestUser(() => ({ decision: 'repeat' }), await ask(web.url));
    const followed = person.goOn(web.url);
    expect(await worker.exited()).toBe('SIGKILL');
    await cluster().query(shared.url, EXPIRE_LEASES);
    await lives.startHere('worker');
    expect(await followed).toBe('over');
    await expectCompleteRun(lives, person, [web.url]);
    const doubts = (await person.answered(web.url)).filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(lives.counted).toBe(CALLS + doubts.length);
    expect(lives.starts).toBe(1);
  });

  /** The tool is called without an approval. */
  async function allowCount(url: string): Promise<void> {
    const tool = { serverId: 'counter', name: 'count' };
    await call(url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'allow' });
  }

  /** Several concurrent runs without interrupts. Resolves when all have started; `over` when all have ended. */
  async function runMany(
    url: string,
    count: number,
    conversations = 'c',
  ): Promise<{ started: number; over: Promise<RunRecord[]> }> {
    await allowCount(url);
    const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
    const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const configuration = { model: { providerId, modelId: 'scripted' } };
      await call(url, 'POST', '/api/conversations', { id: `${conversations}${n}`, configuration });
      const parts = [{ type: 'text', text: 'Count, please.' }];
      const sent = await call<SentMessage>(url, 'POST', `/api/conversations/${conversations}${n}/messages`, { parts });
      if ('run' in sent) ids.push(sent.run.id);
    }
    const over = Promise.all(
      ids.map((id) =>
        eventually(
          async () => {
            const run = await call<RunRecord>(url, 'GET', `/api/runs/${id}`);
            return run.endedAt === null ? null : run;
          },
          { what: `the end of run ${id}` },
        ),
      ),
    );
    return { started: ids.length, over };
  }

  /** Holds the last model requests, so that no run ends early on a fast machine. */
  const beforeTheLastTurn =
    (until: () => Promise<unknown>): NonNullable<ServerInstancesOptions['modelWaits']> =>
    (messages) =>
      messages.filter(({ role }) => role === 'tool').length === CALLS - (TURNS.at(-1) ?? 0) ? until() : undefined;

  it('a worker is restarted under load: no run fails, and no call is repeated', async () => {
    const leaving = Promise.withResolvers<void>();
    await using lives = await ServerInstances.of(TURNS, {
      ...LONG_LEASES,
      database: await database(),
      // Calls wait for each other at this server; all end within a worker's shutdown timeout.
      tools: { tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait', ms: 50 }] }] },
      modelWaits: beforeTheLastTurn(() => leaving.promise),
    });
    const web = await lives.startHere('web');
    await lives.startHere('tools');
    const worker = await lives.start(undefined, 'worker');
    await waitForConnections([worker], isReady);
    // The only worker executes all runs; the second one continues them.
    const { started, over } = await runMany(web.url, 3);
    await eventually(() => lives.counted > 2, { what: 'the first calls' });
    const next = await lives.startHere('worker');
    await waitForConnections([next], isReady);
    expect(lives.counted).toBeLessThan(started * CALLS);
    worker.signal('SIGTERM');
    leaving.resolve();
    expect(await worker.exited()).toBe(null);
    expect((await over).map(({ status }) => status)).toEqual(Array.from({ length: started }, () => 'done'));
    expect(lives.counted).toBe(started * CALLS);
    expect(lives.faults).toEqual([]);
    expect(await call(web.url, 'GET', '/api/interrupts?status=answered')).toMatchObject({ items: [] });
  });

  it('a tools process is restarted under load: calls in progress finish there, the next ones are made at the new one', async () => {
    const isBack = Promise.withResolvers<void>();
    await using lives = await ServerInstances.of(TURNS, {
      ...LONG_LEASES,
      database: await database(),
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
      // A worker waits some seconds for the next holder of a server; a busy machine may need longer.
      modelWaits: (messages) => (messages.some(({ role }) => role === 'tool') ? isBack.promise : undefined),
    });
    const web = await lives.startHere('web');
    const worker = await lives.startHere('worker');
    const tools = await lives.start(undefined, 'tools');
    await waitForConnections([worker], isReady);
    await lives.startHere('tools');
    const { started, over } = await runMany(web.url, 3);
    // A call in transit when the process stops would wait for the next process, but only for some seconds.
    await eventually(() => lives.counted === started * (TURNS[0] ?? 0), { what: 'all calls of the first turns' });
    tools.signal('SIGTERM');
    lives.releaseTools();
    expect(await tools.exited()).toBe(null);
    await eventually(() => lives.starts === 2, { what: 'the tool server at the other process' });
    await waitForConnections([worker], isReady);
    isBack.resolve();
    expect((await over).map(({ status }) => status)).toEqual(Array.from({ length: started }, () => 'done'));
    expect(lives.counted).toBe(started * CALLS);
    expect(lives.starts).toBe(2);
  });

  it('a message queued when a worker is killed at the end of a run is sent by another one', async () => {
    const isAsked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    await using lives = await ServerInstances.of([1], {
      database: await database(),
      modelWaits() {
        isAsked.resolve();
        return mayAnswer.promise;
      },
    });
    const web = await lives.startHere('web');
    await lives.startHere('tools');
    const worker = await lives.start({ place: 'run:finished', hit: 1 }, 'worker');
    await waitForConnections([worker], isReady);
    await allowCount(web.url);
    await ask(web.url);
    // The only worker executes the run, which is not parked, so no other worker can claim it.
    await within(isAsked.promise, { what: 'the request to the model' });
    const standby = await lives.startHere('worker');
    await waitForConnections([standby], isReady);
    const parts = [{ type: 'text', text: 'And now?' }];
    expect(await call(web.url, 'POST', '/api/conversations/c/messages', { parts })).toHaveProperty('queued');
    mayAnswer.resolve();
    expect(await worker.exited()).toBe('SIGKILL');
    await eventually(
      async () => {
        const { page, activeRun } = await readView(web.url);
        return (
          activeRun === null && transcriptLines(page.messages).filter((line) => line.endsWith('(stop)')).length === 2
        );
      },
      { what: 'the end of the second run' },
    );
  });
});
