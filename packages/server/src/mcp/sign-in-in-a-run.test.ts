import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerList, McpSignInStarted, RunRecord, StoredInterrupt } from '@toolyard/protocol';
import type { AuthorizationServer, ModelServer, ScriptedMcp } from '@toolyard/testing';
import { eventually, reply, startAuthorizationServer, startModelServer, startScriptedMcp } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../start-server.ts';
import { ask as askOf, startWholeServer } from './test-fixtures/whole-server.ts';

const CONVERSATION = '0192f0c1-0000-7000-8000-00000000000a';
let folder: string;
let counted: string;
let authorization: AuthorizationServer;
let mcp: ScriptedMcp;
let model: ModelServer;
let server: RunningServer;

function startIn(dataDir: string, more: { databaseUrl?: string } = {}): Promise<RunningServer> {
  writeFileSync(join(dataDir, 'mcp.json'), JSON.stringify({ mcpServers: { mail: { url: mcp.url } } }));
  return startWholeServer({
    ...more,
    dataDir,
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', TOOLYARD_SECRET: 'the same for all of them' },
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-in-a-run-'));
  authorization = await startAuthorizationServer({ expiresIn: 3_600 });
  const mail = { name: 'read_mail', does: [{ do: 'count' as const }] };
  counted = join(folder, 'counted');
  const protection = authorization.protect();
  mcp = await startScriptedMcp({ tools: [mail] }, { sessions: false, protection, countFile: counted });
  model = await startModelServer(({ body }) => {
    const { messages } = body as { messages: { role: string }[] };
    if (messages.at(-1)?.role === 'tool') return reply.text('That is all there was.');
    return reply.toolCalls([{ name: 'read_mail', arguments: {} }]);
  });
  server = await startIn(folder);
});
afterEach(async () => {
  await server.close();
  await mcp.close();
  await model.close();
  await authorization.close();
  rmSync(folder, { recursive: true });
});

const ask = <T>(method: string, path: string, body?: unknown): Promise<T> => askOf(server, method, path, body);

const whenIn = (state: string) =>
  eventually(async () => (await ask<McpServerList>('GET', '/api/mcp/servers')).items[0]?.state === state, {
    what: state,
  });

async function signIn(): Promise<void> {
  const { url } = await ask<McpSignInStarted>('POST', '/api/mcp/servers/mail/sign-in', {});
  const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  expect((await fetch(back)).status).toBe(200);
}

/** The interrupt that the run waits for. */
const asked = (kind: string): Promise<StoredInterrupt> =>
  eventually(
    async () =>
      (await ask<{ items: StoredInterrupt[] }>('GET', '/api/interrupts')).items.find(
        ({ interrupt }) => interrupt.kind === kind,
      ),
    { what: kind },
  );

const answer = (id: string, answerBody: object) =>
  ask('POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer: answerBody });

/** How many times the tool ran. */
const ran = (): number => (existsSync(counted) ? statSync(counted).size : 0);

/** A run whose sign-in becomes invalid while it executes, until its interrupt. */
async function untilAsked() {
  await whenIn('needs_sign_in');
  await signIn();
  await whenIn('ready');
  await ask('POST', '/api/conversations', { id: CONVERSATION });
  const parts = [{ type: 'text', text: 'Any mail?' }];
  const { run } = await ask<{ run: RunRecord }>('POST', `/api/conversations/${CONVERSATION}/messages`, { parts });
  const approval = await asked('approval');
  authorization.revoke();
  await answer(approval.id, { decision: 'approve', scope: 'once' });
  const interrupt = await asked('sign_in');
  expect(interrupt).toMatchObject({ mode: 'parked', interrupt: { tool: { serverId: 'mail', name: 'read_mail' } } });
  await whenRun(run.id, 'parked');
  expect(ran()).toBe(0);
  return { runId: run.id, interrupt };
}

const whenRun = (id: string, status: RunRecord['status']) =>
  eventually(async () => (await ask<RunRecord>('GET', `/api/runs/${id}`)).status === status, { what: status });

/** The result of the call in the last model request. */
const lastResult = (): string =>
  JSON.stringify((model.requests.at(-1)?.body as { messages: unknown[] }).messages.at(-1));

test('after a token is revoked during a run, a new sign-in makes the call once', async () => {
  const { runId } = await untilAsked();
  await signIn();
  await whenRun(runId, 'done');
  expect(ran()).toBe(1);
  expect(lastResult()).toContain('"1"');
  expect(model.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  const { items } = await ask<{ items: StoredInterrupt[] }>('GET', '/api/interrupts?status=open');
  expect(items).toEqual([]);
});

test('a sign-in after a restart resumes the run', async () => {
  const { runId } = await untilAsked();
  await server.close();
  server = await startIn(folder);
  await whenIn('needs_sign_in');
  await signIn();
  await whenRun(runId, 'done');
  expect(ran()).toBe(1);
});

test('an answer before the sign-in asks again; after a denial the result says that the call was not made', async () => {
  const { runId, interrupt } = await untilAsked();
  await answer(interrupt.id, { decision: 'signed_in' });
  const again = await eventually(
    async () => {
      const next = await asked('sign_in');
      return next.id === interrupt.id ? undefined : next;
    },
    { what: 'the next interrupt' },
  );
  await answer(again.id, { decision: 'decline' });
  await whenRun(runId, 'done');
  expect(ran()).toBe(0);
  expect(lastResult()).toContain('did not sign in');
});

describeOnDatabases('two servers over one database', (cluster) => {
  test('a sign-in in one process is used by the other at once', async () => {
    await server.close();
    const databaseUrl = await cluster().createDatabase();
    const second = mkdtempSync(join(tmpdir(), 'toolyard-second-'));
    const one = await startIn(folder, { databaseUrl });
    server = await startIn(second, { databaseUrl });
    await whenIn('needs_sign_in');
    const other = server;
    server = one;
    await whenIn('needs_sign_in');
    await signIn();
    await whenIn('ready');
    server = other;
    await whenIn('ready');
    expect(authorization.grants('authorization_code')).toHaveLength(1);
    await one.close();
    await other.close();
    rmSync(second, { recursive: true });
  });
});
