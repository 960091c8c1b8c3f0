import { StorageError } from '@toolyard/storage';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestResponse, TestServer } from '../test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer;
let runId: string;

beforeEach(async () => {
  server = await startTestServer({ security: { tokens: [ANNE, BERT] }, owner: ANNE.principal });
  await post('/api/conversations', { id: 'c1' });
  const sent = await post('/api/conversations/c1/messages', { parts: [{ type: 'text', text: 'Do it' }] });
  runId = (sent.json as { run: { id: string } }).run.id;
  for (const id of ['one', 'two', 'three']) server.runs.ask(runId, id);
});
afterEach(() => server.close());

const post = (target: string, json: unknown, who = ANNE): Promise<TestResponse> =>
  server.ask(target, { headers: as(who), json });
const openIds = async (): Promise<string[]> => {
  const { json } = await server.ask('/api/interrupts', { headers: as(ANNE) });
  return (json as { items: { id: string }[] }).items.map(({ id }) => id).sort();
};
const YES = { decision: 'approve', scope: 'once' };

describe('answering several interrupts', () => {
  test('returns an outcome for each in order; a rejected one does not affect the others', async () => {
    const answers = [
      { id: 'one', answer: YES },
      { id: 'gone', answer: YES },
      { id: 'three', answer: { decision: 'refuse', reason: 'no' } },
      { id: 'one', answer: { decision: 'refuse' } },
    ];
    const { status, json } = await post('/api/interrupts/answers', { answers });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      items: [
        { id: 'one', outcome: 'answered', interrupt: { status: 'answered', answer: YES } },
        { id: 'gone', outcome: 'refused', error: { code: 'not_found' } },
        { id: 'three', outcome: 'answered' },
        { id: 'one', outcome: 'refused', error: { code: 'conflict' } },
      ],
    });
    expect(await openIds()).toEqual(['two']);
  });

  test('marks answers as retryable if the database is unreachable, without revealing its location', async () => {
    const answer = server.runs.answer.bind(server.runs);
    const secret = 'The database "toolyard" at 10.0.0.7:5432 cannot be reached: read ECONNRESET.';
    vi.spyOn(server.runs, 'answer')
      .mockImplementationOnce((...of) => answer(...of))
      .mockRejectedValueOnce(new StorageError('unreachable', { message: secret }));
    const answers = ['one', 'two', 'three'].map((id) => ({ id, answer: YES }));
    const { status, json, text } = await post('/api/interrupts/answers', { answers });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      items: [
        { id: 'one', outcome: 'answered' },
        { id: 'two', outcome: 'refused', error: { code: 'storage_failed', retryable: true } },
        { id: 'three', outcome: 'answered' },
      ],
    });
    expect(text).not.toContain('10.0.0.7');
    expect(await openIds()).toEqual(['two']);
  });

  test('does not find interrupts of another owner, and leaves them open', async () => {
    const { json } = await post('/api/interrupts/answers', { answers: [{ id: 'one', answer: YES }] }, BERT);
    expect(json).toMatchObject({ items: [{ outcome: 'refused', error: { code: 'not_found' } }] });
    expect(await openIds()).toEqual(['one', 'three', 'two']);
  });

  test.each([
    ['no answers', { answers: [] }],
    ['an invalid answer', { answers: [{ id: 'one', answer: { decision: 'perhaps' } }] }],
    ['an invalid answer beside a valid one', { answers: [{ id: 'two', answer: YES }, { id: 'one' }] }],
  ])('answers nothing with %s', async (_what, body) => {
    expect(await post('/api/interrupts/answers', body)).toMatchObject({ status: 400 });
    expect(await openIds()).toEqual(['one', 'three', 'two']);
  });
});

test('a list continues after the last item of a page, even if that was answered since', async () => {
  const page = async (query: string, who = ANNE): Promise<{ items: { id: string }[]; next?: string }> =>
    (await server.ask(`/api/interrupts?${query}`, { headers: as(who) })).json as never;
  const seen: string[] = [];
  let at = await page('limit=1');
  for (; at.next !== undefined; at = await page(`limit=1&after=${encodeURIComponent(at.next)}`)) {
    seen.push(...at.items.map(({ id }) => id));
    await post(`/api/interrupts/${String(seen.at(-1))}/answer`, { answer: YES });
    expect(await page(`after=${encodeURIComponent(at.next)}`, BERT)).toEqual({ items: [] });
  }
  seen.push(...at.items.map(({ id }) => id));
  expect(seen.toSorted()).toEqual(['one', 'three', 'two']);
  expect(await page('limit=3&status=answered')).not.toHaveProperty('next');
  for (const wrong of ['nonsense', '.', '1.', `${'9'.repeat(16)}.x`]) {
    const { status } = await server.ask(`/api/interrupts?after=${wrong}`, { headers: as(ANNE) });
    expect(status).toBe(400);
  }
});

test('the count of open interrupts is per owner', async () => {
  const count = async (who: typeof ANNE) => (await server.ask('/api/interrupts/count', { headers: as(who) })).json;
  expect(await count(ANNE)).toEqual({ open: 3 });
  await post('/api/interrupts/one/answer', { answer: YES });
  expect(await count(ANNE)).toEqual({ open: 2 });
  expect(await count(BERT)).toEqual({ open: 0 });
});

test('an answer can contain changed arguments and what was shown', async () => {
  const receivedAnswers: unknown[] = [];
  const answer = server.runs.answer.bind(server.runs);
  server.runs.answer = (principal, id, answerBody, shown) => (
    receivedAnswers.push(answerBody, shown),
    answer(principal, id, answerBody, shown)
  );
  const body = { answer: { ...YES, arguments: { a: [1, { b: null }] } }, shown: { arguments: {}, definition: 'd' } };
  expect(await post('/api/interrupts/one/answer', body)).toMatchObject({ status: 200, json: { answer: body.answer } });
  expect(receivedAnswers).toEqual([body.answer, body.shown]);
});

test('an opened conversation contains all its interrupts', async () => {
  for (let n = 0; n < 600; n++) server.runs.ask(runId, `more-${n}`);
  const { json } = await server.ask('/api/conversations/c1', { headers: as(ANNE) });
  expect((json as { interrupts: unknown[] }).interrupts).toHaveLength(603);
});
