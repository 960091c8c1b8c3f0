import { expect, it } from 'vitest';
import { eventually } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { EXPIRE_LEASES, ServerInstances, LONG_LEASES } from '../support/server-instances.ts';
import { TestUser, readView } from '../support/test-user.ts';
import type { RowWrite } from './history.ts';
import { judge } from './judge.ts';
import { readHistory, createQuery } from './process-history.ts';
import { readWrites, startRecording } from './stored.ts';

/** The injected fault: a process that takes over a run gets the fence of the process that lost it. */
const KEEP_FENCES = [
  `CREATE FUNCTION keep_fence() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF OLD.fence > 0 THEN NEW.fence := OLD.fence; END IF; RETURN NEW; END $$`,
  'CREATE TRIGGER keep_fences BEFORE UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION keep_fence()',
];

describeOnDatabases('the judge', (cluster) => {
  /** A run whose lease runs out while its process waits for a tool, so that another process takes it over. */
  async function problemsAfterLostLease(statements: readonly string[]): Promise<string[]> {
    await using lives = await ServerInstances.of([1], {
      ...LONG_LEASES,
      database: { url: await cluster().createDatabase() },
      tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
    });
    const url = lives.databaseUrl;
    const first = await lives.start();
    await startRecording(cluster(), url);
    if (statements.length > 0) await cluster().query(url, ...statements);
    const user = new TestUser(() => ({ decision: 'failed' }));
    const followed = user.goOn(first.url);
    await eventually(() => lives.counted === 1, { what: 'the call' });
    // It cannot find out that it lost the lease.
    first.signal('SIGSTOP');
    await cluster().query(url, EXPIRE_LEASES);
    const second = await lives.startHere();
    const other = new TestUser(() => ({ decision: 'failed' }), user.runs[0]?.[0]?.runId);
    expect(await other.goOn(second.url)).toBe('over');
    await first.end();
    expect(await followed).toBe('cut');
    const history = await readHistory({ lives, runs: other.runs, view: await readView(second.url) });
    const writes: RowWrite[] = await readWrites(createQuery(lives));
    expect(new Set(writes.map(({ writer }) => writer)).size).toBe(2);
    return judge({ ...history, writes }).problems;
  }

  it('finds nothing wrong with a run that another process took over', async () => {
    expect(await problemsAfterLostLease([])).toEqual([]);
  });

  it('notices two processes that both hold a run because the fence was not raised', async () => {
    const problems = await problemsAfterLostLease(KEEP_FENCES);
    expect(problems).toContainEqual(expect.stringMatching(/^owned twice: .* both wrote .* with fence 1$/));
  });
});
