import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnsweredInterrupts, Page, RunRecord, StoredInterrupt } from '@toolyard/protocol';
import { DATABASE_FILE } from '@toolyard/storage';
import { eventually } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call } from './support/api.ts';
import { ASKS_FIRST, STATE } from './support/asks-first.ts';
import { ServerInstances, LONG_LEASES } from './support/server-instances.ts';
import { ask, readView } from './support/test-user.ts';

const YES = { decision: 'approve', scope: 'once' };
const TAIPEI = { decision: 'accept', content: { city: 'Taipei' } };

const asked = async (url: string): Promise<StoredInterrupt> =>
  eventually(async () => (await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts')).items[0], {
    what: 'an interrupt',
  });
const answer = (url: string, id: string, given: object): Promise<AnsweredInterrupts> =>
  call(url, 'POST', '/api/interrupts/answers', { answers: [{ id, answer: given }] });
const status = async (url: string, runId: string): Promise<string> =>
  (await call<RunRecord>(url, 'GET', `/api/runs/${runId}`)).status;
const over = (url: string, runId: string): Promise<unknown> =>
  eventually(async () => /done|failed|cancelled/.test(await status(url, runId)), {
    what: 'the end of the run',
  });

/** Starts a run at one process, and waits until it is parked with the form of the server. */
async function restingAt(url: string): Promise<{ runId: string; form: StoredInterrupt }> {
  const runId = await ask(url);
  const approval = await asked(url);
  await answer(url, approval.id, YES);
  const form = await eventually(
    async () => {
      const interrupt = await asked(url);
      return interrupt.interrupt.kind === 'elicitation' ? interrupt : null;
    },
    { what: 'the form' },
  );
  await eventually(async () => (await status(url, runId)) === 'parked', { what: 'the parked run' });
  return { runId, form };
}

describeOnPostgres('an interrupt of a server, over one database', (cluster) => {
  it('is answered in another process after SIGKILL of the first: the tool runs once, with its state unchanged', async () => {
    await using lives = await ServerInstances.of([1], {
      tools: ASKS_FIRST,
      database: { url: await cluster().createDatabase() },
    });
    const one = await lives.start();
    const { runId, form } = await restingAt(one.url);
    await one.end();
    const other = await lives.startHere();
    expect((await asked(other.url)).id).toBe(form.id);
    expect(await answer(other.url, form.id, { decision: 'accept', content: {} })).toMatchObject({
      items: [{ outcome: 'refused', error: { code: 'bad_request' } }],
    });
    expect(await answer(other.url, form.id, TAIPEI)).toMatchObject({ items: [{ outcome: 'answered' }] });
    await over(other.url, runId);
    expect({ status: await status(other.url, runId), counted: lives.counted, states: lives.states }).toEqual({
      status: 'done',
      counted: 1,
      states: [STATE],
    });
  });

  it('is answered in both processes at once: one answer is accepted, and the tool runs once', async () => {
    await using lives = await ServerInstances.of([1], {
      ...LONG_LEASES,
      tools: ASKS_FIRST,
      database: { url: await cluster().createDatabase() },
    });
    const [one, other] = [await lives.startHere(), await lives.startHere()];
    const { runId, form } = await restingAt(one.url);
    const tabs = [one.url, other.url, one.url, other.url];
    const outcomes = await Promise.all(tabs.map((url) => answer(url, form.id, TAIPEI)));
    expect(outcomes.flatMap(({ items }) => items.map((item) => item.outcome)).sort()).toEqual([
      'answered',
      'refused',
      'refused',
      'refused',
    ]);
    await over(one.url, runId);
    expect(await answer(other.url, form.id, TAIPEI)).toMatchObject({ items: [{ error: { code: 'conflict' } }] });
    expect(lives.counted).toBe(1);
  });
});

describe('a stored elicitation', () => {
  it('rejects the call if its stored request state was changed', async () => {
    await using lives = await ServerInstances.of([1], { tools: ASKS_FIRST });
    const first = await lives.start();
    const { runId, form } = await restingAt(first.url);
    await first.end();
    const database = new DatabaseSync(join(lives.dataDir, DATABASE_FILE));
    const [row] = database.prepare('SELECT state FROM run_states WHERE run_id = ?').all(runId);
    const state = String(row?.['state']);
    const forged = state.replace(/("sealed":")(.)/, (_all, before: string, letter: string) => {
      return `${before}${letter === 'A' ? 'B' : 'A'}`;
    });
    expect(forged).not.toBe(state);
    database.prepare('UPDATE run_states SET state = ? WHERE run_id = ?').run(forged, runId);
    database.close();

    const last = await lives.startHere();
    await answer(last.url, form.id, TAIPEI);
    await over(last.url, runId);
    const { page } = await readView(last.url);
    expect(JSON.stringify(page.messages)).toContain('cannot be decrypted: it was changed');
    expect(lives.counted).toBe(0);
    expect(lives.states).toEqual([]);
  });
});
