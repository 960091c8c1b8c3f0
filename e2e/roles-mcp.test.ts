import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  MissingRole,
  McpServerList,
  McpSignInStarted,
  Page,
  ProviderView,
  RunEvent,
  RunRecord,
  RunView,
  SentMessage,
  StoredInterrupt,
} from '@toolyard/protocol';
import {
  eventually,
  programArgs,
  reply,
  startAuthorizationServer,
  startHostedService,
  startScriptedMcp,
} from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, readRun } from './support/api.ts';
import { waitForConnections } from './support/wait-for-connections.ts';
import { EXPIRE_LEASES, ServerInstances, LONG_LEASES } from './support/server-instances.ts';
import { transcriptLines } from './support/transcript.ts';

const TASK_PROGRAM = fileURLToPath(new URL('./support/task-program.ts', import.meta.url));
const ERAS = ['legacy', 'modern'] as const;
/** The tool server of all lives, the mail, and a task program of each era. */
const SERVERS = 4;

/** Begins a conversation of its own. */
async function say(url: string, text: string): Promise<RunRecord> {
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  const configuration = { model: { providerId, modelId: 'scripted' } };
  const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', { configuration });
  const sent = await call<SentMessage>(url, 'POST', `/api/conversations/${id}/messages`, {
    parts: [{ type: 'text', text }],
  });
  if (!('run' in sent)) throw new Error('the message was queued');
  return sent.run;
}

/** All of it is done at the web process, with servers two workers and a tools process are connected to. */
async function open(databaseUrl: string) {
  await using undo = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-roles-mcp-'));
  undo.defer(() => rmSync(folder, { recursive: true }));
  const authorization = undo.use(await startAuthorizationServer({ expiresIn: 3_600 }));
  const mail = undo.use(
    await startScriptedMcp(
      { tools: [{ name: 'read_mail', does: [{ do: 'count' }] }] },
      { sessions: false, protection: authorization.protect(), countFile: join(folder, 'mails') },
    ),
  );
  const service = undo.use(await startHostedService({ behaviour: { tools: [{ name: 'send' }] } }));
  const studies = ERAS.map((era) => ({
    id: era,
    transport: {
      type: 'stdio' as const,
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', ...programArgs(TASK_PROGRAM), era, folder],
    },
  }));
  /** The model calls the tool it is told, and is content with what comes. */
  const lives = undo.use(
    await ServerInstances.with(
      (messages) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return reply.text('So it is.');
        const name = /read_mail|(study|ask)_\w+/.exec(JSON.stringify(last))?.[0];
        if (name === undefined) return reply.text('Hello.');
        return reply.toolCalls([{ id: 'call_1', name, arguments: {} }]);
      },
      {
        ...LONG_LEASES,
        database: { url: databaseUrl },
        others: [{ id: 'mail', transport: { type: 'http', url: mail.url } }, ...studies],
      },
    ),
  );
  const web = await lives.startHere('web');
  const alone = await say(web.url, 'Hello.');
  const before = {
    run: alone,
    ready: await call<{ missingRoles: MissingRole[] }>(web.url, 'GET', '/ready'),
    view: await call<RunView>(web.url, 'GET', `/api/runs/${alone.id}`),
  };
  // Workers are killed, and so have processes of their own.
  const workers = await Promise.all([lives.start(undefined, 'worker'), lives.start(undefined, 'worker')]);
  const tools = await lives.startHere('tools');
  const ending = undo.move();
  return {
    databaseUrl,
    folder,
    mail,
    authorization,
    service,
    lives,
    before,
    url: web.url,
    workers,
    tools,
    close: () => ending.disposeAsync(),
  };
}

describeOnPostgres('MCP servers, as a web process deals with them', (cluster) => {
  let stage: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    stage = await open(await cluster().createDatabase());
  });
  afterAll(() => stage.close());

  const whenIn = (server: string, state: string): Promise<unknown> =>
    eventually(
      async () =>
        (await call<McpServerList>(stage.url, 'GET', '/api/mcp/servers')).items.find(({ id }) => id === server)
          ?.state === state,
      { what: `${server} ${state}` },
    );

  /** Each worker has so many servers, and there is none it still waits for. */
  const workersHave = (servers: number): Promise<void> =>
    waitForConnections(stage.workers, (states) => {
      const { connecting = 0, reconnecting = 0, failed = 0 } = states;
      const all = Object.values(states).reduce<number>((sum, count = 0) => sum + count, 0);
      return all === servers && connecting + reconnecting + failed === 0;
    });

  const marks = (name: string): number => {
    const file = join(stage.folder, name);
    return existsSync(file) ? statSync(file).size : 0;
  };

  /** A conversation of its own, in which the model calls this tool, which nobody has to allow. */
  async function begin(serverId: string, name: string): Promise<RunRecord> {
    const { url } = stage;
    await call(url, 'PUT', '/api/permissions', { tool: { serverId, name }, conversationId: null, decision: 'allow' });
    return say(url, `Call ${name}, please.`);
  }

  const whenRun = (id: string, status: RunRecord['status']): Promise<RunRecord> =>
    eventually(
      async () => {
        const run = await call<RunRecord>(stage.url, 'GET', `/api/runs/${id}`);
        return run.status === status ? run : null;
      },
      { what: `the run ${status}` },
    );

  const question = (kind: string): Promise<StoredInterrupt> =>
    eventually(
      async () =>
        (await call<Page<StoredInterrupt>>(stage.url, 'GET', '/api/interrupts')).items.find(
          ({ interrupt }) => interrupt.kind === kind,
        ),
      { what: kind },
    );

  async function toldOf({ conversationId }: RunRecord): Promise<string> {
    const view = await call<{ page: { messages: [] } }>(stage.url, 'GET', `/api/conversations/${conversationId}`);
    return transcriptLines(view.page.messages).join('\n');
  }

  async function signIn(): Promise<void> {
    const { url } = await call<McpSignInStarted>(stage.url, 'POST', '/api/mcp/servers/mail/sign-in', {});
    const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
    expect(back.startsWith(`${stage.url}/api/mcp/sign-in/callback?`)).toBe(true);
    expect((await fetch(back)).status).toBe(200);
  }

  it('a run nobody can go on with says which process is missing, and so does /ready, until one is there', async () => {
    const { before, url } = stage;
    expect(before.ready.missingRoles.map(({ role }) => role)).toEqual(['worker', 'tools']);
    expect(before.view).toMatchObject({
      status: 'queued',
      waitsFor: { role: 'worker', message: expect.stringContaining('No worker is running') as string },
    });
    await whenRun(before.run.id, 'done');
    expect(await call(url, 'GET', '/ready')).toMatchObject({ status: 'ok', missingRoles: [] });
    expect(await call(url, 'GET', `/api/runs/${before.run.id}`)).not.toHaveProperty('waitsFor');
  });

  it('a run whose call waits for a program says that no process runs it, until one does', async () => {
    await workersHave(SERVERS);
    stage.lives.holdCalls();
    const { id } = await begin('modern', 'ask_modern');
    await eventually(() => stage.lives.passed.includes('run:sent'), { what: 'the call' });
    await stage.tools.end();
    const waitsFor = await eventually(
      async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).waitsFor ?? null,
      { what: 'what it waits for', everyMs: 50 },
    );
    expect(waitsFor).toMatchObject({ role: 'tools', message: expect.stringContaining('role "tools"') as string });
    await stage.lives.startHere('tools');
    await eventually(async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).waitsFor === undefined, {
      what: 'nothing that is missing',
    });
    stage.lives.releaseCalls();
    await call(stage.url, 'POST', `/api/runs/${id}/cancel`, {});
    await eventually(async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).endedAt !== null, {
      what: 'the end of the cancelled run',
    });
  });

  it('a server hosted by a service is given back to it when it is removed', async () => {
    const { url, service } = stage;
    const transport = {
      type: 'hosted',
      service: 'klavis',
      server: 'Gmail',
      apiKey: 'key-of-the-test',
      url: service.url,
    };
    await call(url, 'POST', '/api/mcp/servers', { id: 'hosted', transport });
    // Both workers are connected to it: one of the two that were wanted is there in the end.
    await workersHave(SERVERS + 1);
    await whenIn('hosted', 'ready');
    await eventually(() => service.instances.length === 1, { what: 'one server' });
    await call(url, 'DELETE', '/api/mcp/servers/hosted');
    expect(service.instances).toEqual([]);
    const { items } = await call<McpServerList>(url, 'GET', '/api/mcp/servers');
    expect(items.map(({ id }) => id)).not.toContain('hosted');
  });

  it('signing in there is signing in at every worker, also for a run that waits for it', async () => {
    await whenIn('mail', 'needs_sign_in');
    // Who is asked to finish it, the process that is there longest, is not who has the server and shows it.
    await cluster().query(
      stage.databaseUrl,
      `UPDATE processes SET started_at = started_at + 3600000
       WHERE id = (SELECT holder FROM held_servers WHERE server_id = 'mail')`,
    );
    await signIn();
    await whenIn('mail', 'ready');
    await waitForConnections(stage.workers, ({ ready }) => ready === SERVERS);
    stage.authorization.revoke();
    const run = await begin('mail', 'read_mail');
    await question('sign_in');
    await whenRun(run.id, 'parked');
    expect(marks('mails')).toBe(0);
    await signIn();
    await whenRun(run.id, 'done');
    expect(marks('mails')).toBe(1);
    await whenIn('mail', 'ready');
    // Who did not take the run up knows of it, too.
    const again = await Promise.all([begin('mail', 'read_mail'), begin('mail', 'read_mail')]);
    for (const { id } of again) await whenRun(id, 'done');
    expect(marks('mails')).toBe(3);
  });

  /** A task of each program, of which somebody has heard: its handle is stored. */
  async function studying(): Promise<RunRecord[]> {
    await workersHave(SERVERS);
    return Promise.all(
      ERAS.map(async (era) => {
        const run = await begin(era, `study_${era}`);
        const events: RunEvent[] = [];
        void readRun(stage.url, run.id, events);
        await eventually(() => events.some(({ type }) => type === 'tool_progress'), { what: 'word of the task' });
        return run;
      }),
    );
  }

  it('what the task of a program asks is answered there', async () => {
    await workersHave(SERVERS);
    for (const era of ERAS) {
      const run = await begin(era, `ask_${era}`);
      const { id } = await question('elicitation');
      const answer = { decision: 'accept', content: { city: 'Taipei' } };
      await call(stage.url, 'POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer });
      await whenRun(run.id, 'done');
      expect(await toldOf(run)).toContain('"city":"Taipei"');
    }
  });

  it('the task of a program is cancelled with the run that waits for it', async () => {
    for (const { id } of await studying()) {
      await call(stage.url, 'POST', `/api/runs/${id}/cancel`, {});
      await whenRun(id, 'cancelled');
    }
    for (const era of ERAS) await eventually(() => marks(`${era}-cancelled`) === 1, { what: 'the end of the task' });
  });

  it('and is waited for by the next worker when the first was killed: it is made once', async () => {
    const runs = await studying();
    await Promise.all(stage.workers.map((worker) => worker.end()));
    await cluster().query(stage.databaseUrl, EXPIRE_LEASES);
    await stage.lives.startHere('worker');
    for (const era of ERAS) writeFileSync(join(stage.folder, `${era}-finish`), '');
    for (const [index, run] of runs.entries()) {
      await whenRun(run.id, 'done');
      expect(await toldOf(run)).toContain(`A ${ERAS[index] ?? ''} tide turns at six. (done)`);
    }
    expect(ERAS.map((era) => marks(`${era}-begun`))).toEqual([2, 2]);
  });
});
