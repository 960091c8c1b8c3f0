import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call, readRun } from './support/api.ts';
import { CALLS, expectWhole, TURNS } from './support/counting.ts';
import type { LivesDatabase } from './support/lives.ts';
import { LEASES_RUN_OUT, Lives, LONG_LEASES } from './support/lives.ts';
import { ask, Person, viewOf } from './support/person.ts';

describeOnPostgres('several servers over one database', (cluster) => {
  const database = async (more: Partial<LivesDatabase> = {}): Promise<LivesDatabase> => ({
    url: await cluster().createDatabase(),
    ...more,
  });

  it.each([
    ['told at once', {}],
    ['without notifications, only slower', { notify: false }],
  ])('what is asked at one is followed and approved at the other, %s', async (_how, more) => {
    await using lives = await Lives.of(TURNS, { ...LONG_LEASES, database: await database(more) });
    const [one, other] = [await lives.start(), await lives.start()];
    const person = new Person(() => ({ decision: 'failed' }), await ask(one.url));
    expect(await person.goOn(other.url)).toBe('over');
    await expectWhole(lives, person, [one.url, other.url]);
    expect(lives.counted).toBe(CALLS);
  });

  it('a run is stopped from the other server within a second', async () => {
    await using lives = await Lives.of(TURNS, { ...LONG_LEASES, database: await database() });
    const [one, other] = [await lives.start(), await lives.start()];
    const runId = await ask(one.url);
    const events: RunEvent[] = [];
    const followed = readRun(other.url, runId, events);
    await eventually(() => events.some(({ type }) => type === 'text_delta'));
    await call(other.url, 'POST', `/api/runs/${runId}/cancel`, {});
    expect(await followed).toBe('over');
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
    expect(await viewOf(one.url)).toMatchObject({ activeRun: null, interrupts: [] });
  });

  it('one that is killed in mid-run: another takes the run over, and nothing is done twice', async () => {
    const shared = await database();
    await using lives = await Lives.of(TURNS, { ...LONG_LEASES, database: shared });
    const one = await lives.start({ place: 'run:returned', hit: 3 });
    const other = await lives.start();
    const person = new Person(() => ({ decision: 'repeat' }), await ask(one.url));
    let killed = false;
    // What is answered at a server that is free is taken up there.
    const followed = person.goOn(other.url, () => (killed ? other.url : one.url));
    expect(await one.over).toBe('SIGKILL');
    killed = true;
    await cluster().query(shared.url, LEASES_RUN_OUT);
    await eventually(
      () => person.events.some(({ type }) => type === 'attempt_abandoned' || type === 'interrupt_requested'),
      { what: 'the run in the other process' },
    );
    expect(await followed).toBe('over');
    await expectWhole(lives, person, [other.url]);
    // The call whose answer was lost was asked about, and made again because the person said so.
    const asked = await person.answered(other.url);
    const doubts = asked.filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(doubts.length).toBeGreaterThan(0);
    expect(lives.counted).toBe(CALLS + doubts.length);
  });

  it("one that was stopped for longer than its lease finds that its run is another's, and writes nothing more", async () => {
    const shared = await database();
    await using lives = await Lives.of(TURNS, {
      ...LONG_LEASES,
      database: shared,
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
    });
    const one = await lives.start();
    const other = await lives.start();
    const person = new Person(() => ({ decision: 'repeat' }), await ask(one.url));
    // What is answered at a server that is free is taken up there.
    let stopped = false;
    const followed = person.goOn(other.url, () => (stopped ? other.url : one.url));
    await eventually(() => lives.counted === 1, { what: 'a call' });
    stopped = true;
    one.signal('SIGSTOP');
    await cluster().query(shared.url, LEASES_RUN_OUT);
    lives.letToolsGoOn();
    expect(await followed).toBe('over');
    const doubts = (await person.answered(other.url)).filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(doubts).toHaveLength(1);
    one.signal('SIGCONT');
    await expectWhole(lives, person, [other.url, one.url]);
    // When it has ended all has been written that it had to write: the answer of its call, too.
    one.signal('SIGTERM');
    expect(await one.over).toBe(null);
    await expectWhole(lives, person, [other.url]);
  });

  it('goes on after a restart of the database', async () => {
    await using lives = await Lives.of(TURNS, { database: await database() });
    const [one, other] = [await lives.start(), await lives.start()];
    const person = new Person(() => ({ decision: 'repeat' }), await ask(one.url));
    const first = person.goOn(other.url);
    await eventually(() => person.events.some(({ type }) => type === 'interrupt_requested'));
    await cluster().stop('fast');
    await cluster().start();
    await eventually(() => viewOf(other.url));
    let end = await first;
    while (end !== 'over') {
      await sleep(200);
      end = await person.goOn(other.url);
    }
    await expectWhole(lives, person, [one.url, other.url]);
  });
});
