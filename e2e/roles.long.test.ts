import { it } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { waitForConnections } from './support/wait-for-connections.ts';
import { expectRunOverRoles, TURNS } from './support/complete-run.ts';
import { ServerInstances, LONG_LEASES } from './support/server-instances.ts';

describeOnPostgres('processes with roles over one database', (cluster) => {
  it.each([
    ['with notifications', true],
    ['without notifications', false],
  ])('a run of the web process is executed by a worker and a tools process, %s', async (_how, notify) => {
    const database = { url: await cluster().createDatabase(), notify };
    await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database });
    const web = await lives.start(undefined, 'web');
    const worker = await lives.start(undefined, 'worker');
    const tools = await lives.start(undefined, 'tools');
    await waitForConnections([worker], ({ ready }) => ready === 1);
    await expectRunOverRoles(lives, { web, worker, tools });
  });
});
