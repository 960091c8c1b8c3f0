import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Owner } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock, createIds, eventually, startSmtpServer, TEST_CERTIFICATE } from '@toolyard/testing';
import type { TestRuns } from '../http/test-fixtures/runs.ts';
import { createTestRuns } from '../http/test-fixtures/runs.ts';
import { createLiveHub } from '../live/hub.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { createEmailChannel } from './email-channel.ts';
import { readEmail } from './email-settings.ts';

type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;
type Deliveries = Awaited<ReturnType<typeof createWebhooks>>;

const ANNE: Owner = { ownerId: 'anne' };
const PASSWORD = 'pass:wörd';
const PLANNED = 1_700_000_000_000;

let folder: string;
let storage: Storage;
let clock: FakeClock;
let runs: TestRuns;
let smtp: SmtpServer;
let log: string[];
const open: Deliveries[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-email-'));
  clock = createFakeClock({ start: PLANNED });
  storage = await openStorage({ folder, clock });
  // The ids of runs are those of the times of the schedule `s1`.
  let at = PLANNED;
  runs = createTestRuns({ storage, hub: createLiveHub(), clock, ids: { next: () => `s1.${at++}` } });
  log = [];
  smtp = await startSmtpServer();
  await storage.schedules.create(ANNE, {
    id: 's1',
    title: 'Morning\r\nBcc: eve@example.com',
    definition: {},
    enabled: true,
    createdBy: 'user',
    nextAt: PLANNED,
    used: { fired: 0, day: null, onDay: 0 },
    createdAt: 1,
  });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await smtp.close();
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts deliveries as a process with these settings would; `null`: without e-mail. */
async function deliveries(query: string | null = ''): Promise<Deliveries> {
  const url = `smtp://anne:${encodeURIComponent(PASSWORD)}@localhost:${smtp.port}${query ?? ''}`;
  const file = { from: 'Toolyard <bot@example.com>', to: ['anne@example.com'], pageUrl: 'https://yard.example/' };
  const settings = query === null ? null : readEmail({ TOOLYARD_SMTP_URL: url }, file);
  const made = await createWebhooks({
    storage,
    clock,
    ids: createIds('test'),
    owner: ANNE,
    file: null,
    email: settings && createEmailChannel({ settings, storage, clock, tls: { ca: TEST_CERTIFICATE.cert } }),
    log: (line) => log.push(line),
    secrets: { get: async () => null, set: async () => undefined, remove: async () => undefined },
  });
  open.push(made);
  made.start();
  return made;
}

/** A run of the schedule that waits for an approval. */
async function park({ scheduled = true } = {}): Promise<string> {
  const conversationId = `c${Math.random()}`;
  await storage.conversations.create(ANNE, { id: conversationId, title: '', at: 1 });
  const sent = await runs.send(ANNE, conversationId, { parts: [{ type: 'text', text: 'the secret task' }] });
  if ('queued' in sent) throw new Error('it was queued');
  const { id } = sent.run;
  const plannedAt = Number(id.split('.')[1]);
  if (scheduled) await storage.schedules.addFiring(ANNE, { scheduleId: 's1', plannedAt }, plannedAt, 9e15);
  runs.ask(id, `${id}.approval`);
  return conversationId;
}

const received = (count: number): Promise<unknown> =>
  eventually(async () => (await clock.advance(1_000), smtp.mails.length >= count), { what: `mail ${count}` });
const countAll = async (): Promise<number> => (await storage.webhooks.claim(9e15, 9e15, 99)).length;

describe('an unattended run that parks', () => {
  test('is announced by e-mail: encrypted, logged in, without the task or the arguments', async () => {
    await deliveries();
    const conversationId = await park();
    await received(1);
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({
      encrypted: true,
      login: { user: 'anne', password: PASSWORD },
      from: 'bot@example.com',
      to: ['anne@example.com'],
    });
    expect(mail?.source).toContain('"Morning Bcc: eve@example.com" needs your approval.');
    expect(mail?.source).not.toMatch(/^Bcc:/m);
    expect(mail?.source).toContain('Tool: files/delete');
    expect(mail?.source).toContain(`https://yard.example/c/${conversationId}`);
    expect(mail?.source).not.toContain('secret task');
    await eventually(async () => (await countAll()) === 0);
  });

  test('is announced again until the mail server accepts it, also after a restart, as the same message', async () => {
    await smtp.close();
    smtp = await startSmtpServer({ replies: { MAIL: ['451 anne@example.com: try later'], '.': ['554 no'] } });
    const first = await deliveries();
    await park();
    const failures = (count: number): Promise<unknown> =>
      eventually(async () => (await clock.advance(1_000), log.length >= count), { what: `failure ${count}` });
    await failures(1);
    await first.close();
    await deliveries();
    await received(1);
    expect(log).toEqual([
      expect.stringMatching(/^email: delivery of email:interrupt\.opened:.* rejected the message \(451\)\.$/),
      expect.stringMatching(/rejected the message \(554\)\.$/),
    ]);
    expect(smtp.commands.filter((command) => command === 'DATA')).toHaveLength(2);
    expect(smtp.mails[0]?.source).toMatch(/^Message-ID: <[0-9a-f]{32}@toolyard>$/m);
    expect(smtp.mails).toHaveLength(1);
  });

  test.each([
    ['a wrong password', { replies: { AUTH: [`535 ${PASSWORD} is wrong`] } }, /rejected the login \(535\)/],
    ['a server without encryption', { startTls: false }, /cannot be encrypted/],
  ])('%s is logged without the secret, and nothing is sent', async (_what, server, message) => {
    await smtp.close();
    smtp = await startSmtpServer(server);
    await deliveries();
    await park();
    await eventually(async () => (await clock.advance(1_000), log.length > 0));
    expect(log[0]).toMatch(message);
    expect(log.join()).not.toContain(PASSWORD);
    expect(smtp.commands).not.toContain('DATA');
  });

  test('that a user watches is not announced, nor one without a mail server', async () => {
    const mailing = await deliveries();
    await park({ scheduled: false });
    await eventually(async () => (await clock.advance(1_000), (await countAll()) === 0));
    await mailing.close();
    await deliveries(null);
    await park();
    expect(await countAll()).toBe(0);
    expect(smtp.mails).toEqual([]);
  });
});

describe('the settings of e-mail', () => {
  const file = { from: 'bot@example.com', to: ['anne@example.com'] };
  const read = (url: string) => readEmail({ TOOLYARD_SMTP_URL: url }, file);

  test('need a mail server, and encrypt by default', () => {
    expect(readEmail({}, null)).toBeNull();
    expect(read('smtps://u:p@mail.example')).toMatchObject({ port: 465, encryption: 'tls' });
    expect(read('smtp://mail.example')).toMatchObject({ port: 587, encryption: 'starttls', login: null });
    expect(read('smtp://u:p@[::1]:2525?tls=off')).toMatchObject({ host: '::1', port: 2525, encryption: 'off' });
    const env = { TOOLYARD_SMTP_URL: 'smtps://a', TOOLYARD_EMAIL_FROM: 'a@b', TOOLYARD_EMAIL_TO: 'c@d, e@f' };
    expect(readEmail(env, file)).toMatchObject({ from: 'a@b', to: ['c@d', 'e@f'] });
  });

  test.each<[RegExp, () => unknown]>([
    [/not the sender/, () => readEmail({ TOOLYARD_SMTP_URL: 'smtps://a' }, null)],
    [/URL of the mail server is invalid/, () => read('https://u:secret@mail.example')],
    [/without encryption/, () => read('smtp://u:secret@mail.example?tls=off')],
    [/not an e-mail address/, () => readEmail({ TOOLYARD_SMTP_URL: 'smtps://a' }, { ...file, to: ['me'] })],
  ])('report: %s', (message, wrong) => {
    expect(wrong).toThrow(message);
    expect(wrong).not.toThrow(/secret/);
  });
});
