import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import type { RunningServer } from '@toolyard/server';
import { startServer } from '@toolyard/server';
import type { ModelServer } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { readRun } from './support/api.ts';
import { ask, CONVERSATION, readView } from './support/test-user.ts';
import { serverOptions } from './support/server-options.ts';
import { transcriptLines } from './support/transcript.ts';

const ANSWER = 'All of it, word by word, however long it takes to say so.';

describeOnPostgres('a server whose database', (cluster) => {
  let folder: string;
  let model: ModelServer;
  let server: RunningServer | undefined;
  let log: string[];
  let url: string;
  let happened: PromiseWithResolvers<void>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'toolyard-broken-'));
    happened = Promise.withResolvers();
    // The database fails during the first answer.
    model = await startModelServer((_request, index) =>
      reply.text(ANSWER, index === 0 ? { pieces: 3, delayMs: 30, hold: { until: happened.promise } } : { pieces: 20 }),
    );
    log = [];
    url = await cluster().createDatabase();
  });
  afterEach(async () => {
    await cluster().start();
    await server?.close();
    server = undefined;
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const begin = (): Promise<RunningServer> =>
    startServer(
      serverOptions({
        dataDir: folder,
        databaseUrl: url,
        metrics: true,
        env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k', TOOLYARD_SECRET: 'a secret of the test' },
        log: (line) => log.push(line),
      }),
    );

  async function readProblem(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${server?.url ?? ''}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body) ?? null,
    });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const text = await response.text();
    expect(text).not.toMatch(/127\.0\.0\.1|owner|test\d/);
    return { status: response.status, ...(JSON.parse(text) as object) };
  }

  /** The run has ended, and its reader has received each event once. */
  async function expectWhole(at: string, runId: string): Promise<void> {
    await eventually(async () => (await readView(at)).activeRun === null);
    const events: RunEvent[] = [];
    expect(await readRun(at, runId, events)).toBe('over');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(transcriptLines((await readView(at)).page.messages).at(-1)).toBe(`assistant: ${ANSWER} (stop)`);
  }

  const say = { parts: [{ type: 'text', text: 'And now?' }] };

  it('is unreachable: answers 503, keeps running, and recovers', async () => {
    server = await begin();
    const at = server.url;
    const runId = await ask(at);
    const begun: RunEvent[] = [];
    void readRun(at, runId, begun);
    await eventually(() => begun.some(({ type }) => type === 'text_delta'), { what: 'the first words' });
    await cluster().stop('immediate');
    happened.resolve();

    const away = {
      status: 503,
      code: 'storage_failed',
      detail: expect.stringContaining('cannot be reached') as string,
    };
    expect(await readProblem('GET', '/api/conversations')).toMatchObject(away);
    expect(await readProblem('POST', `/api/conversations/${CONVERSATION}/messages`, say)).toMatchObject(away);
    expect(await readProblem('GET', `/api/runs/${runId}/events`)).toMatchObject(away);
    expect(await readProblem('GET', '/ready')).toMatchObject({ status: 503 });
    expect((await fetch(`${at}/health`)).status).toBe(200);
    // The metrics report it, and the rest of the process works.
    const seen = await (await fetch(`${at}/metrics`)).text();
    expect(seen).toMatch(/^toolyard_storage_up 0$/m);
    expect(seen).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(seen).not.toMatch(/^toolyard_runs\{/m);
    await eventually(() => log.some((line) => line.includes('cannot be reached')));
    expect(log.join('\n')).not.toMatch(/secret of the cluster|\n? {4}at /);

    await cluster().start();
    await expectWhole(at, runId);
    expect((await fetch(`${at}/ready`)).status).toBe(200);
    expect(await (await fetch(`${at}/metrics`)).text()).toMatch(/^toolyard_storage_up 1$/m);
  });

  it('is unreachable at startup: names it, and leaves no process or file', async () => {
    await cluster().stop('fast');
    await expect(begin()).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(/^The database "test\d+" at 127\.0\.0\.1:\d+ cannot be reached/) as string,
    });
    await cluster().start();
    server = await begin();
    expect(await readView(server.url).catch(String)).toContain('404');
  });

  it('is of a newer version: refuses to start and names the unknown migration', async () => {
    server = await begin();
    await server.close();
    server = undefined;
    const steps = 'SELECT name FROM toolyard_migrations ORDER BY name';
    await cluster().query(url, `INSERT INTO toolyard_migrations (name, kind) VALUES ('999-later', 'contract')`);
    const before = await cluster().query(url, steps);
    await expect(begin()).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringMatching(/newer Toolyard.*999-later/) as string,
    });
    expect(await cluster().query(url, steps)).toEqual(before);
  });

  it('is full: rejects writes without damage, and recovers once there is space', async () => {
    server = await begin();
    const at = server.url;
    const runId = await ask(at);
    await eventually(async () => (await cluster().query(url, 'SELECT 1 FROM run_events')).length > 3);
    await cluster().query(
      url,
      `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
      'CREATE TRIGGER full_events BEFORE INSERT ON run_events EXECUTE FUNCTION no_room()',
      'CREATE TRIGGER full_conversations BEFORE INSERT ON conversations EXECUTE FUNCTION no_room()',
    );
    happened.resolve();
    await eventually(() => log.some((line) => line.includes('no space left')));
    expect(await readProblem('POST', '/api/conversations', { title: 'One more' })).toMatchObject({
      status: 507,
      code: 'storage_full',
    });
    expect((await readView(at)).activeRun).not.toBeNull();

    await cluster().query(
      url,
      'DROP TRIGGER full_events ON run_events',
      'DROP TRIGGER full_conversations ON conversations',
    );
    await expectWhole(at, runId);
  });
});
