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
/** The tool server, the mail server, and a task server of each era. */
const SERVERS = 4;

/** Creates a conversation. */
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

/** Everything happens at the web process, with servers of two workers and a tools process. */
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
  /** The model calls the tool that the message names, and accepts any result. */
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
  // Workers run in separate processes, because tests kill them.
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

  /** Each worker has this many servers and no pending connection. */
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

  /** A new conversation in which the model calls this tool, which needs no approval. */
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

  const interrupt = (kind: string): Promise<StoredInterrupt> =>
    eventually(
      async () =>
        (await call<Page<StoredInterrupt>>(stage.url, 'GET', '/api/interrupts')).items.find(
          ({ interrupt }) => interrupt.kind === kind,
        ),
      { what: kind },
    );

  async function readConversationText({ conversationId }: RunRecord): Promise<string> {
    const view = await call<{ page: { messages: [] } }>(stage.url, 'GET', `/api/conversations/${conversationId}`);
    return transcriptLines(view.page.messages).join('\n');
  }

  async function signIn(): Promise<void> {
    const { url } = await call<McpSignInStarted>(stage.url, 'POST', '/api/mcp/servers/mail/sign-in', {});
    const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
    expect(back.startsWith(`${stage.url}/api/mcp/sign-in/callback?`)).toBe(true);
    expect((await fetch(back)).status).toBe(200);
  }

  it('a run that no process can continue names the missing role, and so does /ready, until one starts', async () => {
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

  it('a run whose call waits for a local server says that no process runs it, until one does', async () => {
    await workersHave(SERVERS);
    stage.lives.holdCalls();
    const { id } = await begin('modern', 'ask_modern');
    await eventually(() => stage.lives.passed.includes('run:sent'), { what: 'the call' });
    await stage.tools.end();
    const waitsFor = await eventually(
      async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).waitsFor ?? null,
      { what: 'the missing role', everyMs: 50 },
    );
    expect(waitsFor).toMatchObject({ role: 'tools', message: expect.stringContaining('role "tools"') as string });
    await stage.lives.startHere('tools');
    await eventually(async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).waitsFor === undefined, {
      what: 'no missing role',
    });
    stage.lives.releaseCalls();
    await call(stage.url, 'POST', `/api/runs/${id}/cancel`, {});
    await eventually(async () => (await call<RunView>(stage.url, 'GET', `/api/runs/${id}`)).endedAt !== null, {
      what: 'the end of the cancelled run',
    });
  });

  it('removing a hosted server deletes it at its service', async () => {
    const { url, service } = stage;
    const transport = {
      type: 'hosted',
      service: 'klavis',
      server: 'Gmail',
      apiKey: 'key-of-the-test',
      url: service.url,
    };
    await call(url, 'POST', '/api/mcp/servers', { id: 'hosted', transport });
    // Both workers connect to it and may create it; one instance remains.
    await workersHave(SERVERS + 1);
    await whenIn('hosted', 'ready');
    await eventually(() => service.instances.length === 1, { what: 'one server' });
    await call(url, 'DELETE', '/api/mcp/servers/hosted');
    expect(service.instances).toEqual([]);
    const { items } = await call<McpServerList>(url, 'GET', '/api/mcp/servers');
    expect(items.map(({ id }) => id)).not.toContain('hosted');
  });

  it('a sign-in at the web process applies to every worker and to a run that waits for it', async () => {
    await whenIn('mail', 'needs_sign_in');
    // The oldest process completes the sign-in; another process holds the server.
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
    await interrupt('sign_in');
    await whenRun(run.id, 'parked');
    expect(marks('mails')).toBe(0);
    await signIn();
    await whenRun(run.id, 'done');
    expect(marks('mails')).toBe(1);
    await whenIn('mail', 'ready');
    // The worker without the run is signed in, too.
    const again = await Promise.all([begin('mail', 'read_mail'), begin('mail', 'read_mail')]);
    for (const { id } of again) await whenRun(id, 'done');
    expect(marks('mails')).toBe(3);
  });

  /** A task of each server that has reported progress, so its handle is stored. */
  async function studying(): Promise<RunRecord[]> {
    await workersHave(SERVERS);
    return Promise.all(
      ERAS.map(async (era) => {
        const run = await begin(era, `study_${era}`);
        const events: RunEvent[] = [];
        void readRun(stage.url, run.id, events);
        await eventually(() => events.some(({ type }) => type === 'tool_progress'), { what: 'progress of the task' });
        return run;
      }),
    );
  }

  it('an elicitation of a task is answered at the web process', async () => {
    await workersHave(SERVERS);
    for (const era of ERAS) {
      const run = await begin(era, `ask_${era}`);
      const { id } = await interrupt('elicitation');
      const answer = { decision: 'accept', content: { city: 'Taipei' } };
      await call(stage.url, 'POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer });
      await whenRun(run.id, 'done');
      expect(await readConversationText(run)).toContain('"city":"Taipei"');
    }
  });

  it('cancelling a run cancels the task it waits for', async () => {
    for (const { id } of await studying()) {
      await call(stage.url, 'POST', `/api/runs/${id}/cancel`, {});
      await whenRun(id, 'cancelled');
    }
    for (const era of ERAS) await eventually(() => marks(`${era}-cancelled`) === 1, { what: 'the end of the task' });
  });

  it('the next worker awaits a task after the first was killed, without a second call', async () => {
    const runs = await studying();
    await Promise.all(stage.workers.map((worker) => worker.end()));
    await cluster().query(stage.databaseUrl, EXPIRE_LEASES);
    await stage.lives.startHere('worker');
    for (const era of ERAS) writeFileSync(join(stage.folder, `${era}-finish`), '');
    for (const [index, run] of runs.entries()) {
      await whenRun(run.id, 'done');
      expect(await readConversationText(run)).toContain(`A ${ERAS[index] ?? ''} tide turns at six. (done)`);
    }
    expect(ERAS.map((era) => marks(`${era}-begun`))).toEqual([2, 2]);
  });
});
