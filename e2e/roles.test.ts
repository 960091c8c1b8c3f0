import { expect, it, onTestFinished } from 'vitest';
import type {
  McpServerList,
  McpToolDetail,
  Page,
  ProviderView,
  RunRecord,
  SentMessage,
  ToolResult,
} from '@toolyard/protocol';
import { eventually, startScriptedMcp } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call } from './support/api.ts';
import { CALLS, expectWhole, TURNS } from './support/counting.ts';
import { whenConnected } from './support/connected.ts';
import type { Life, LivesDatabase, LivesOptions } from './support/lives.ts';
import { Lives, LONG_LEASES } from './support/lives.ts';
import { ask, Person, viewOf } from './support/person.ts';
import { told } from './support/transcript.ts';

type Trio = { web: Life; worker: Life; tools: Life };

/** One process of each role, and the worker connected to the tool server. */
async function trio(lives: Lives): Promise<Trio> {
  const [web, worker, tools] = [
    await lives.start(undefined, 'web'),
    await lives.start(undefined, 'worker'),
    await lives.start(undefined, 'tools'),
  ];
  await whenConnected([worker], isReady);
  return { web, worker, tools };
}

const isReady = ({ ready }: { ready?: number }): boolean => ready === 1;

const stateOf = async (url: string, server = 'counter'): Promise<string | undefined> =>
  (await call<McpServerList>(url, 'GET', '/api/mcp/servers')).items.find(({ id }) => id === server)?.state;

describeOnPostgres('processes with roles over one database', (cluster) => {
  const database = async (more: Partial<LivesDatabase> = {}): Promise<LivesDatabase> => ({
    url: await cluster().createDatabase(),
    ...more,
  });

  it.each([
    ['told at once', {}],
    ['without notifications, only slower', { notify: false }],
  ])(
    'what is asked and approved at the web process is done by a worker with a program of the tools process, %s',
    async (_how, more) => {
      await using lives = await Lives.of(TURNS, { ...LONG_LEASES, database: await database(more) });
      const { web, worker, tools } = await trio(lives);
      const person = new Person(() => ({ decision: 'failed' }), await ask(web.url));
      expect(await person.goOn(web.url)).toBe('over');
      await expectWhole(lives, person, [web.url]);
      expect(lives.counted).toBe(CALLS);
      for (const { url } of [worker, tools]) {
        expect((await fetch(`${url}/ready`)).status).toBe(200);
        expect((await fetch(`${url}/api/conversations`)).status).toBe(404);
        expect((await fetch(`${url}/internal/servers/tools`, { method: 'POST' })).status).toBe(404);
      }
    },
  );

  it('a server changed in the tools process is another one at the web process, and what is done with it goes there', async () => {
    await using lives = await Lives.of(TURNS, {
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
    const web = await lives.start(undefined, 'web');
    const path = '/api/mcp/servers/counter';
    expect(await call<McpServerList>(web.url, 'GET', '/api/mcp/servers')).toMatchObject({
      items: [
        { id: 'counter', state: 'failed', error: { message: expect.stringContaining('role "tools"') as string } },
      ],
    });
    await expect(call(web.url, 'POST', `${path}/call`, { tool: 'count' })).rejects.toThrow('--role tools');
    await lives.start(undefined, 'tools');
    await eventually(async () => (await stateOf(web.url)) === 'ready');
    const toolsOf = async (): Promise<string[]> =>
      (await call<Page<McpToolDetail>>(web.url, 'GET', `${path}/tools`)).items.map(({ name }) => name);
    expect(await toolsOf()).toEqual(['count', 'grow']);
    expect(await call<ToolResult>(web.url, 'POST', `${path}/call`, { tool: 'count' })).toMatchObject({
      isError: false,
    });
    expect(lives.counted).toBe(1);
    await call(web.url, 'POST', `${path}/call`, { tool: 'grow' });
    await eventually(async () => (await toolsOf()).join() === 'grown');
    expect(await call<{ items: object[] }>(web.url, 'GET', `${path}/log`)).toMatchObject({
      items: expect.anything() as object,
    });
    // Switched off at the web process, it is left where it runs; on again, it is started there.
    await call(web.url, 'PATCH', path, { enabled: false });
    await eventually(async () => (await stateOf(web.url)) === 'disabled');
    await call(web.url, 'PATCH', path, { enabled: true });
    await eventually(async () => (await toolsOf()).join() === 'count,grow');
    const before = lives.starts;
    await call(web.url, 'POST', `${path}/reconnect`, {});
    await eventually(async () => lives.starts > before && (await stateOf(web.url)) === 'ready');
  });

  it('a tools process that is killed in the middle of a call: its outcome is unknown and it is not made again, and another process runs the server', async () => {
    const isBack = Promise.withResolvers<void>();
    // Calls wait for one another at this server: of the first two one is at work, and one waits.
    await using lives = await Lives.of([2, 1, 1, 3], {
      database: await database(),
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
      modelWaits: (messages) => (messages.some(({ role }) => role === 'tool') ? isBack.promise : undefined),
    });
    const { web, worker, tools } = await trio(lives);
    const person = new Person(() => ({ decision: 'failed' }), await ask(web.url));
    const followed = person.goOn(web.url);
    await eventually(() => lives.counted === 1, { what: 'the first call' });
    tools.kill();
    lives.letToolsGoOn();
    await lives.start(undefined, 'tools');
    await eventually(() => lives.starts === 2, { what: 'the tool server at the other process' });
    await whenConnected([worker], isReady);
    isBack.resolve();
    expect(await followed).toBe('over');
    expect(person.events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    const outcomes = told((await viewOf(web.url)).page.messages).flatMap(
      (line) => /^tool: .* \((\w+)\)$/s.exec(line)?.[1] ?? [],
    );
    expect(outcomes).toHaveLength(CALLS);
    expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(1);
    expect(outcomes.at(-1)).toBe('done');
    expect(new Set(lives.made).size).toBe(lives.made.length);
    expect(lives.starts).toBe(2);
  });

  it('a server elsewhere is reached by workers, and through them from the web process', async () => {
    const scripted = await startScriptedMcp({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] });
    onTestFinished(() => scripted.close());
    const lab = { id: 'lab', transport: { type: 'http' as const, url: scripted.url } };
    await using lives = await Lives.of(TURNS, { ...LONG_LEASES, database: await database(), others: [lab] });
    const web = await lives.start(undefined, 'web');
    const tryIt = { transport: { type: 'http', url: scripted.url } };
    await expect(call(web.url, 'POST', '/api/mcp/test', tryIt)).rejects.toThrow('--role worker');
    const first = await lives.start(undefined, 'worker');
    await lives.start(undefined, 'worker');
    await eventually(async () => (await stateOf(web.url, 'lab')) === 'ready');
    const echo = (): Promise<ToolResult> =>
      call(web.url, 'POST', '/api/mcp/servers/lab/call', { tool: 'echo', arguments: { a: 1 } });
    expect(await echo()).toMatchObject({ isError: false, content: [{ text: '{"a":1}' }] });
    expect(await call(web.url, 'POST', '/api/mcp/test', tryIt)).toMatchObject({ ok: true });
    // The other worker has been connected all along: it says from now on how the server is.
    first.signal('SIGTERM');
    await first.over;
    await eventually(async () => (await stateOf(web.url, 'lab')) === 'ready');
    expect(await echo()).toMatchObject({ isError: false });
  });

  it('what a program asks in the middle of a call is answered at the web process', async () => {
    const requestedSchema = { type: 'object', properties: { city: { type: 'string' } } };
    const question = { method: 'elicitation/create', params: { message: 'Where?', requestedSchema } };
    await using lives = await Lives.of([1], {
      ...LONG_LEASES,
      database: await database(),
      tools: { tools: [{ name: 'count', does: [{ do: 'request', ...question }, { do: 'tell_answers' }] }] },
    });
    const { web } = await trio(lives);
    const person = new Person(() => ({ decision: 'failed' }), await ask(web.url));
    expect(await person.goOn(web.url)).toBe('over');
    const answered = await person.answered(web.url);
    expect(answered.map(({ interrupt }) => interrupt.kind).toSorted()).toEqual(['approval', 'elicitation']);
    expect(told((await viewOf(web.url)).page.messages).join()).toContain('Taipei');
  });

  it('a worker that is killed: another one goes on with its run, with the same program', async () => {
    await using lives = await Lives.of(TURNS, { database: await database() });
    const web = await lives.start(undefined, 'web');
    await lives.start(undefined, 'tools');
    const worker = await lives.start({ place: 'run:returned', hit: 3 }, 'worker');
    await whenConnected([worker], isReady);
    const person = new Person(() => ({ decision: 'repeat' }), await ask(web.url));
    const followed = person.goOn(web.url);
    await worker.over;
    await lives.start(undefined, 'worker');
    expect(await followed).toBe('over');
    await expectWhole(lives, person, [web.url]);
    const doubts = (await person.answered(web.url)).filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(lives.counted).toBe(CALLS + doubts.length);
    expect(lives.starts).toBe(1);
  });

  /** Several runs at once, none of which asks anybody. Resolves when all have begun; `over` when all are over. */
  async function runMany(
    url: string,
    count: number,
    conversations = 'c',
  ): Promise<{ started: number; over: Promise<RunRecord[]> }> {
    const tool = { serverId: 'counter', name: 'count' };
    await call(url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'allow' });
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
          { what: 'the end of a run', timeoutMs: 180_000 },
        ),
      ),
    );
    return { started: ids.length, over };
  }

  /** However fast the machine is, no run is over before the model may ask for the last calls. */
  const beforeTheLastTurn =
    (until: () => Promise<unknown>): NonNullable<LivesOptions['modelWaits']> =>
    (messages) =>
      messages.filter(({ role }) => role === 'tool').length === CALLS - (TURNS.at(-1) ?? 0) ? until() : undefined;

  it('workers are restarted one after the other under load: no run fails, and nothing is done twice', async () => {
    let leaving = Promise.withResolvers<void>();
    await using lives = await Lives.of(TURNS, {
      ...LONG_LEASES,
      database: await database(),
      // Calls wait for one another at this server: all of them are over within the seconds a worker has for its last.
      tools: { tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait', ms: 50 }] }] },
      modelWaits: beforeTheLastTurn(() => leaving.promise),
    });
    const { web, worker } = await trio(lives);
    const [other, last] = [await lives.start(undefined, 'worker'), await lives.start(undefined, 'worker')];
    await whenConnected([other, last], isReady);
    let submitted = 0;
    for (const [index, old] of [worker, other].entries()) {
      leaving = Promise.withResolvers<void>();
      const { started, over } = await runMany(web.url, 4, `under-${index}-`);
      await eventually(() => lives.counted > submitted + 2, { what: 'the first calls' });
      submitted += started * CALLS;
      expect(lives.counted).toBeLessThan(submitted);
      old.signal('SIGTERM');
      leaving.resolve();
      expect(await old.over).toBe(null);
      expect((await over).map(({ status }) => status)).toEqual(Array.from({ length: started }, () => 'done'));
    }
    expect(lives.counted).toBe(submitted);
    expect(lives.faults).toEqual([]);
    expect(await call(web.url, 'GET', '/api/interrupts?status=answered')).toMatchObject({ items: [] });
  });

  it('a tools process is restarted under load: calls under way are finished there, the next ones made at the new one', async () => {
    const leaving = Promise.withResolvers<void>();
    await using lives = await Lives.of(TURNS, {
      ...LONG_LEASES,
      database: await database(),
      tools: { tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait', ms: 100 }] }] },
      modelWaits: beforeTheLastTurn(() => leaving.promise),
    });
    const { web, tools } = await trio(lives);
    await lives.start(undefined, 'tools');
    const { started, over } = await runMany(web.url, 4);
    await eventually(() => lives.counted > 4, { what: 'the first calls' });
    tools.signal('SIGTERM');
    leaving.resolve();
    expect(await tools.over).toBe(null);
    expect((await over).map(({ status }) => status)).toEqual(Array.from({ length: started }, () => 'done'));
    expect(lives.counted).toBe(started * CALLS);
    expect(lives.starts).toBe(2);
  });

  it('what waits in the queue when a worker dies at the end of a run is sent by another one', async () => {
    await using lives = await Lives.of([1], { database: await database() });
    const web = await lives.start(undefined, 'web');
    await lives.start(undefined, 'tools');
    const standby = await lives.start(undefined, 'worker');
    await whenConnected([standby], isReady);
    standby.signal('SIGSTOP');
    const worker = await lives.start({ place: 'run:finished', hit: 1 }, 'worker');
    await whenConnected([worker], isReady);
    const person = new Person(() => ({ decision: 'failed' }), await ask(web.url));
    const parts = [{ type: 'text', text: 'And now?' }];
    expect(await call(web.url, 'POST', '/api/conversations/c/messages', { parts })).toHaveProperty('queued');
    void person.goOn(web.url);
    await worker.over;
    standby.signal('SIGCONT');
    await eventually(
      async () => {
        const { page, activeRun } = await viewOf(web.url);
        return activeRun === null && told(page.messages).filter((line) => line.endsWith('(stop)')).length === 2;
      },
      { what: 'the end of the second run' },
    );
  });
});
