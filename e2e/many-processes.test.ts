import { expect, it } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call, readRun } from './support/api.ts';
import { CALLS, expectRunAtBoth, expectCompleteRun, TURNS } from './support/complete-run.ts';
import type { ServerInstance, LivesDatabase } from './support/server-instances.ts';
import { EXPIRE_LEASES, ServerInstances, LONG_LEASES } from './support/server-instances.ts';
import { ask, TestUser, readView } from './support/test-user.ts';

describeOnPostgres('several servers over one database', (cluster) => {
  const database = async (): Promise<LivesDatabase> => ({ url: await cluster().createDatabase() });

  // The tests below, and `many-processes.long.test.ts`, use notifications.
  it('streams and approves at one server a run that was started at the other, without notifications', async () => {
    await expectRunAtBoth({ url: await cluster().createDatabase(), notify: false });
  });

  it('cancels a run from the other server', async () => {
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: await database() });
    const [one, other] = [await lives.startHere(), await lives.startHere()];
    const runId = await ask(one.url);
    const events: RunEvent[] = [];
    const followed = readRun(other.url, runId, events);
    await eventually(() => events.some(({ type }) => type === 'text_delta'), { what: 'the first words' });
    await call(other.url, 'POST', `/api/runs/${runId}/cancel`, {});
    expect(await followed).toBe('over');
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
    expect(await readView(one.url)).toMatchObject({ activeRun: null, interrupts: [] });
  });

  /** A user at each of two processes: both stream the run and answer its interrupts, so that either process may resume it. */
  async function followAtBoth(
    pair: readonly ServerInstance[],
  ): Promise<Map<ServerInstance, { user: TestUser; end: Promise<string> }>> {
    const runId = await ask(pair[0]?.url ?? '');
    return new Map(
      pair.map((life) => {
        const user = new TestUser(() => ({ decision: 'repeat' }), runId);
        return [life, { user, end: user.goOn(life.url) }];
      }),
    );
  }

  it('fails over to another process after SIGKILL without repeating a tool call', async () => {
    const shared = await database();
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database: shared });
    // Either process may execute the run; the one that makes the third call is killed.
    const { pair, killed } = await lives.startWithFault({ place: 'run:returned', hit: 3 });
    const followers = await followAtBoth(pair);
    const { dead, alive } = await killed();
    await cluster().query(shared.url, EXPIRE_LEASES);
    const { user, end } = followers.get(alive) ?? {};
    if (!user) throw new Error('the process that lives is one of the two');
    expect(await end).toBe('over');
    expect(await followers.get(dead)?.end).toBe('cut');
    await expectCompleteRun(lives, user, [alive.url]);
    // The call whose result was lost is in doubt, and repeated by the user's decision.
    const doubts = (await user.answered(alive.url)).filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(doubts.length).toBeGreaterThan(0);
    expect(lives.counted).toBe(CALLS + doubts.length);
  });

  it('writes nothing more to a run that it lost while it was stopped', async () => {
    const shared = await database();
    await using lives = await ServerInstances.of(TURNS, {
      ...LONG_LEASES,
      database: shared,
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
    });
    const pair = [await lives.start(), await lives.start()];
    const followers = await followAtBoth(pair);
    await eventually(() => lives.counted === 1, { what: 'the first call' });
    const stopped = pair.find((life) => life.passed().includes('run:sent'));
    const alive = pair.find((life) => life !== stopped);
    if (!stopped || !alive) throw new Error('one of the two makes the call');
    stopped.signal('SIGSTOP');
    await cluster().query(shared.url, EXPIRE_LEASES);
    lives.releaseTools();
    const { user, end } = followers.get(alive) ?? {};
    if (!user) throw new Error('the other one is one of the two');
    expect(await end).toBe('over');
    const doubts = (await user.answered(alive.url)).filter(({ interrupt }) => interrupt.kind === 'in_doubt');
    expect(doubts).toHaveLength(1);
    stopped.signal('SIGCONT');
    expect(await followers.get(stopped)?.end).toBe('over');
    await expectCompleteRun(lives, user, [alive.url, stopped.url]);
    // It tries to write the result of its call before it exits.
    stopped.signal('SIGTERM');
    expect(await stopped.exited()).toBe(null);
    await expectCompleteRun(lives, user, [alive.url]);
  });

  it('resumes after a restart of the database', async () => {
    await using lives = await ServerInstances.of(TURNS, { database: await database() });
    const [one, other] = [await lives.startHere(), await lives.startHere()];
    const user = new TestUser(() => ({ decision: 'repeat' }), await ask(one.url));
    const first = user.goOn(other.url);
    await eventually(() => user.events.some(({ type }) => type === 'interrupt_requested'), { what: 'the approval' });
    await cluster().stop('fast');
    await cluster().start();
    await eventually(() => readView(other.url), { what: 'the conversation after the restart' });
    if ((await first) === 'cut') {
      await eventually(async () => (await user.goOn(other.url)) === 'over', {
        what: 'the end of the run',
        everyMs: 200,
      });
    }
    await expectCompleteRun(lives, user, [one.url, other.url]);
  });
});
