import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Owner, WebhookEvent } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { FakeClock, RecordingServer } from '@toolyard/testing';
import { createFakeClock, createIds, eventually, startRecordingServer } from '@toolyard/testing';
import type { TestRuns } from '../http/test-fixtures/runs.ts';
import { createTestRuns } from '../http/test-fixtures/runs.ts';
import { createLiveHub } from '../live/hub.ts';
import type { FileWebhook } from './webhooks.ts';
import { createWebhooks } from './webhooks.ts';

const ANNE: Owner = { ownerId: 'anne' };
const BERT: Owner = { ownerId: 'bert' };
const SECRET = 'a secret of sixteen or more';

type Opened = Awaited<ReturnType<typeof createWebhooks>>;

let folder: string;
let storage: Storage;
let clock: FakeClock;
let runs: TestRuns;
let receiver: RecordingServer;
let url: string;
let got: RecordingServer['seen'];
/** The receiver's responses in order; then 204. */
let answers: { status: number; headers?: Record<string, string> }[];
let log: string[];
let secrets: Map<string, string>;
const open: Opened[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-webhooks-'));
  clock = createFakeClock({ start: 1_700_000_000_000 });
  storage = await openStorage({ folder, clock });
  runs = createTestRuns({ storage, hub: createLiveHub(), clock, ids: createIds('run') });
  [answers, log, secrets] = [[], [], new Map()];
  receiver = await startRecordingServer((_request, response) => {
    const { status, headers } = answers.shift() ?? { status: 204 };
    response.writeHead(status, headers).end();
  });
  got = receiver.seen;
  url = `${receiver.origin}/hook`;
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await receiver.close();
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

async function webhooks(file: FileWebhook | null = null): Promise<Opened> {
  const made = await createWebhooks({
    storage,
    clock,
    ids: createIds('test'),
    owner: ANNE,
    file,
    email: null,
    log: (line) => log.push(line),
    secrets: {
      get: async ({ ownerId }, name) => secrets.get(`${ownerId} ${name}`) ?? null,
      set: async ({ ownerId }, name, text) => void secrets.set(`${ownerId} ${name}`, text),
      remove: async ({ ownerId }, name) => void secrets.delete(`${ownerId} ${name}`),
    },
  });
  open.push(made);
  return made;
}

async function setWebhook(events: WebhookEvent[] = ['interrupt.opened']): Promise<Opened> {
  const made = await webhooks();
  await made.set(ANNE, { url, secret: SECRET, events });
  made.start();
  return made;
}

async function begin(principal = ANNE): Promise<string> {
  const id = `c${Math.random()}`;
  await storage.conversations.create(principal, { id, title: '', at: 1 });
  const sent = await runs.send(principal, id, { parts: [{ type: 'text', text: 'the secret question' }] });
  if ('queued' in sent) throw new Error('it was queued');
  return sent.run.id;
}

/** Advances the clock until the receiver has this many requests. */
const receivedCount = (count: number): Promise<unknown> =>
  eventually(async () => (await clock.advance(1_000), got.length >= count), { what: `message ${count}` });
const settled = (): Promise<unknown> => eventually(async () => (await storage.webhooks.countPending(ANNE)) === 0);

describe('a webhook', () => {
  test('is notified of an open interrupt: signed, without the arguments of the call', async () => {
    await setWebhook();
    const runId = await begin();
    runs.ask(runId, `${runId}.approval`);
    await receivedCount(1);
    const [message] = got;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = message?.headers ?? {};
    expect(id).toBe(`interrupt.opened:${runId}.approval`);
    const signed = createHmac('sha256', SECRET)
      .update(`${String(id)}.${String(at)}.${message?.body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${signed}`);
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      type: 'interrupt.opened',
      data: { runId, interrupt: { id: `${runId}.approval`, kind: 'approval', tool: 'files/delete' } },
    });
    expect(message?.body).not.toContain('arguments');
    expect(message?.body).not.toContain('secret question');
    await settled();
    await clock.advance(600_000);
    expect(got).toHaveLength(1);
  });

  test('is polled every second, and each database outage is logged once', async () => {
    const claim = storage.webhooks.claim.bind(storage.webhooks);
    const away = vi.spyOn(storage.webhooks, 'claim');
    const storageError = new ToolyardError({ code: 'storage_failed', message: 'The database is away.' });
    away.mockRejectedValue(storageError);
    await setWebhook();
    const tried = (times: number): Promise<unknown> =>
      eventually(async () => (await clock.advance(1_000), away.mock.calls.length >= times));
    await tried(5);
    expect(log).toEqual(['webhook: The database is away.']);
    away.mockImplementation(claim);
    await tried(7);
    away.mockRejectedValue(storageError);
    await tried(10);
    expect(log).toHaveLength(2);
  });

  test('is retried with growing delays, under the same id', async () => {
    await setWebhook();
    const postpone = vi.spyOn(storage.webhooks, 'postpone');
    // The time limit of the response also passes until it arrives.
    const answered = (times: number): Promise<unknown> => eventually(() => postpone.mock.results.length === times);
    answers = [{ status: 500 }, { status: 429, headers: { 'retry-after': '120' } }];
    const runId = await begin();
    runs.ask(runId, `${runId}.approval`);
    await receivedCount(1);
    await answered(1);
    await clock.advance(3_000);
    expect(got).toHaveLength(1);
    await receivedCount(2);
    await answered(2);
    await clock.advance(100_000);
    expect(got).toHaveLength(2);
    await receivedCount(3);
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    await settled();
    expect(log.join()).not.toContain(SECRET);
  });

  test('is notified after a restart of what the last process did not deliver', async () => {
    const first = await setWebhook();
    await first.close();
    const runId = await begin();
    runs.ask(runId, `${runId}.approval`);
    expect(await storage.webhooks.countPending(ANNE)).toBe(1);
    (await webhooks()).start();
    await receivedCount(1);
  });

  test('is not notified of an interrupt that was answered before the delivery', async () => {
    await setWebhook();
    const runId = await begin();
    runs.ask(runId, `${runId}.approval`);
    storage.runs.answerInterrupt(ANNE, `${runId}.approval`, { decision: 'refuse' }, 1);
    await eventually(async () => (await clock.advance(1_000), (await storage.webhooks.countPending(ANNE)) === 0));
    expect(got).toEqual([]);
  });

  test('is notified of the ends of runs only on request, each by its name', async () => {
    await setWebhook(['run.failed', 'run.finished']);
    const [failed, done] = [await begin(), await begin()];
    runs.ask(failed, `${failed}.approval`);
    runs.finish(failed, 'failed');
    runs.finish(done, 'done');
    await receivedCount(2);
    await settled();
    const types = got.map(({ body }) => (JSON.parse(body) as { type: string }).type).sort();
    expect(types).toEqual(['run.failed', 'run.finished']);
  });

  test("is not notified of another owner's events; that owner cannot set a webhook", async () => {
    const made = await setWebhook(['interrupt.opened', 'run.finished']);
    runs.finish(await begin(BERT), 'done');
    runs.finish(await begin(), 'done');
    await receivedCount(1);
    await settled();
    expect(got).toHaveLength(1);
    await expect(made.set(BERT, { url })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await made.get(BERT)).toBeNull();
  });

  test('is tested by a request whose result is returned', async () => {
    const made = await setWebhook();
    expect(await made.test(ANNE)).toEqual({ ok: true, status: 204 });
    answers = [{ status: 404 }];
    expect(await made.test(ANNE)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('404') as string },
    });
    expect(got.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['test', 'test']);
    await receiver.close();
    expect(await made.test(ANNE)).toEqual({
      ok: false,
      error: {
        code: 'network',
        message: 'The receiver is unreachable.',
        hint: 'Check the URL, and whether a server is listening there.',
      },
    });
  });

  test('gets a generated secret if none is set, returned once and kept by later changes', async () => {
    const made = await webhooks();
    const { secret } = await made.set(ANNE, { url });
    expect(secret).toMatch(/^whsec_/);
    expect(await made.set(ANNE, { url, events: ['run.failed'] })).not.toHaveProperty('secret');
    await made.test(ANNE);
    const key = Buffer.from((secret ?? '').slice('whsec_'.length), 'base64');
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = got[0]?.headers ?? {};
    const text = `${String(id)}.${String(at)}.${got[0]?.body}`;
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`);
  });

  test('in the configuration file is changed only there, and removed with it', async () => {
    const made = await webhooks({ url, secret: SECRET, events: ['run.failed'] });
    expect(await made.get(ANNE)).toEqual({ url, events: ['run.failed'], origin: 'file', pendingDeliveries: 0 });
    await expect(made.set(ANNE, { url })).rejects.toMatchObject({ code: 'conflict' });
    await expect(made.remove(ANNE)).rejects.toMatchObject({ code: 'conflict' });
    expect(await (await webhooks()).get(ANNE)).toBeNull();
    expect(secrets.size).toBe(0);
  });

  test('when deleted, discards pending deliveries', async () => {
    const made = await webhooks();
    await made.set(ANNE, { url, secret: SECRET });
    const runId = await begin();
    runs.ask(runId, `${runId}.approval`);
    await made.remove(ANNE);
    expect(await storage.webhooks.countPending(ANNE)).toBe(0);
    await expect(made.remove(ANNE)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the webhook of one run', () => {
  const OPERATOR = { ...ANNE, via: 'token', scopes: [] } as const;
  const PROGRAM = { ...ANNE, via: 'api_key', scopes: [], credentialId: 'k' } as const;

  /** Starts a run with a webhook, and returns its id and the generated secret. */
  async function beginWith(made: Opened, principal: typeof OPERATOR | typeof PROGRAM) {
    const ofRun = await made.forRun(principal, 'run', { url });
    await storage.conversations.create(ANNE, { id: 'c', title: '', at: 1 });
    const sent = await runs.send(ANNE, 'c', { parts: [{ type: 'text', text: 'hi' }] }, { webhook: ofRun.webhook });
    if ('queued' in sent) throw new Error('it was queued');
    const { id } = sent.run;
    const { secret } = await made.forRun(principal, id, { url });
    return { id, secret };
  }

  test('is retried while it is down, which the run reports, and gets the answer, signed', async () => {
    const made = await webhooks();
    made.start();
    answers.push({ status: 503 }, { status: 503 });
    const { id, secret } = await beginWith(made, OPERATOR);
    expect(await made.ofRun(ANNE, id)).toEqual({ url, state: 'waiting', failures: 0, error: null });
    const parts = [{ type: 'text', text: 'The answer' }] as const;
    const message = { id: 'm', parentId: null, createdAt: 1, role: 'assistant', runId: id, model: 'x' } as const;
    runs.emit(id, { type: 'message_finished', message: { ...message, parts: [...parts], finishReason: 'stop' } });
    runs.finish(id, 'done');
    await receivedCount(2);
    await eventually(async () => (await made.ofRun(ANNE, id))?.failures === 2, { what: 'two failures' });
    expect(await made.ofRun(ANNE, id)).toEqual({
      url,
      state: 'retrying',
      failures: 2,
      error: 'The receiver responded with HTTP 503.',
    });
    await receivedCount(3);
    await eventually(async () => (await made.ofRun(ANNE, id))?.state === 'delivered', { what: 'the delivery' });
    const [last] = got.slice(-1);
    expect(JSON.parse(last?.body ?? '')).toMatchObject({
      type: 'run.finished',
      data: { runId: id, status: 'done', result: { text: 'The answer' } },
    });
    const { 'webhook-id': delivery, 'webhook-timestamp': at, 'webhook-signature': signature } = last?.headers ?? {};
    const text = `${String(delivery)}.${String(at)}.${last?.body}`;
    const key = Buffer.from((secret ?? '').slice('whsec_'.length), 'base64');
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`);
    expect([...secrets.keys()]).not.toContain(`anne webhook of run ${id}`);
  });

  test('that an API key names is not on a private network', async () => {
    const made = await webhooks();
    made.start();
    const { id } = await beginWith(made, PROGRAM);
    runs.finish(id, 'done');
    await eventually(async () => (await clock.advance(1_000), (await made.ofRun(ANNE, id))?.state === 'failed'), {
      what: 'the refusal',
    });
    expect(got).toEqual([]);
  });
});
