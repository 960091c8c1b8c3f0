import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call, readRun } from './support/api.ts';
import { CALLS, expectWhole, TURNS } from './support/counting.ts';
import type { LivesDatabase } from './support/lives.ts';
import { Lives } from './support/lives.ts';
import { ask, Person, viewOf } from './support/person.ts';

/** A run whose process died goes on in another within so many milliseconds. */
const TAKE_OVER_MS = 15_000;

describeOnPostgres('several servers over one database', (cluster) => {
  const database = async (more: Partial<LivesDatabase> = {}): Promise<LivesDatabase> => ({
    url: await cluster().createDatabase(),
    ...more,
  });

  it.each([
    ['told at once', {}],
    ['without notifications, only slower', { notify: false }],
  ])('what is asked at one is followed and approved at the other, %s', async (_how, more) => {
    await using lives = await Lives.of(TURNS, { database: await database(more) });
    const [one, other] = [await lives.start(), await lives.start()];
    const person = new Person(() => ({ decision: 'failed' }), await ask(one.url));
    expect(await person.goOn(other.url)).toBe('over');
    await expectWhole(lives, person, [one.url, other.url]);
    expect(lives.counted).toBe(CALLS);
  });

  it('a run is stopped from the other server within a second', async () => {
    await using lives = await Lives.of(TURNS, { database: await database() });
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

  it(
    'one that is killed in mid-run: another takes the run over, and nothing is done twice',
    { timeout: 60_000 },
    async () => {
      await using lives = await Lives.of(TURNS, { database: await database() });
      const one = await lives.start({ place: 'run:returned', hit: 3 });
      const other = await lives.start();
      const person = new Person(() => ({ decision: 'repeat' }), await ask(one.url));
      let killed = false;
      // What is answered at a server that is free is taken up there.
      const followed = person.goOn(other.url, () => (killed ? other.url : one.url));
      expect(await one.over).toBe('SIGKILL');
      killed = true;
      await eventually(
        () => person.events.some(({ type }) => type === 'attempt_abandoned' || type === 'interrupt_requested'),
        { timeoutMs: TAKE_OVER_MS },
      );
      expect(await followed).toBe('over');
      await expectWhole(lives, person, [other.url]);
      // The call whose answer was lost was asked about, and made again because the person said so.
      const asked = await person.answered(other.url);
      const doubts = asked.filter(({ interrupt }) => interrupt.kind === 'in_doubt');
      expect(doubts.length).toBeGreaterThan(0);
      expect(lives.counted).toBe(CALLS + doubts.length);
    },
  );

  it(
    "one that was stopped for longer than its lease finds that its run is another's, and writes nothing more",
    { timeout: 60_000 },
    async () => {
      await using lives = await Lives.of(TURNS, { database: await database() });
      const one = await lives.start();
      const other = await lives.start();
      const person = new Person(() => ({ decision: 'repeat' }), await ask(one.url));
      const followed = person.goOn(other.url);
      await eventually(() => person.events.some(({ type }) => type === 'tool_finished'));
      one.signal('SIGSTOP');
      expect(await followed).toBe('over');
      one.signal('SIGCONT');
      await sleep(2_000);
      await expectWhole(lives, person, [other.url, one.url]);
    },
  );

  it('goes on after a restart of the database', { timeout: 60_000 }, async () => {
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
