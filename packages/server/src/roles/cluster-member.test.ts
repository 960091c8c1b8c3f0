import { StorageError } from '@toolyard/storage';
import type { Processes } from '@toolyard/storage';
import { createFakeClock, eventually } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { OWNER } from '../http/types.ts';
import { ClusterMember } from './cluster-member.ts';
import type { RemoteServers } from './remote-servers.ts';

/** Empty tables. */
const EMPTY: Processes = {
  heartbeat: async () => [],
  remove: async () => undefined,
  listLive: async () => [],
  take: async () => [],
  release: async () => undefined,
  publish: async () => true,
  servers: async () => [],
};

it('reads changes that another process made during a database outage', async () => {
  const clock = createFakeClock();
  const cluster = new ClusterMember({
    processes: EMPTY,
    id: 'p1',
    role: 'web',
    owner: OWNER,
    tokens: null,
    hub: { changed: () => undefined },
    clock,
    log: () => undefined,
  });
  let looks = 0;
  const reload = async (): Promise<void> => {
    if (++looks === 1) throw new StorageError('unreachable', { message: 'The database cannot be reached.' });
  };
  cluster.show({ reload, editable: { serverList: { usable: [] } } } as unknown as RemoteServers);
  await cluster.start('http://127.0.0.1:1');
  cluster.look();
  await eventually(() => looks === 1);
  await clock.advance(2_000);
  await eventually(() => expect(looks).toBe(2));
  await cluster.stop();
  await cluster.close();
});
