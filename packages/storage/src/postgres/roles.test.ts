import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { openDatabase } from './open-database.ts';
import type { DatabaseStorage } from '../storage.ts';
import { ANNE } from '../test-fixtures/conversation.ts';

const A = { id: 'a', role: 'tools', address: 'http://127.0.0.1:1' };
const B = { id: 'b', role: 'tools', address: 'http://127.0.0.1:2' };
const MS = 10_000;

describeOnDatabases('processes and their servers', (cluster) => {
  let url: string;
  let storage: DatabaseStorage;
  let at = 1_000;

  beforeEach(async () => {
    url = await cluster().createDatabase();
    await cluster().query(url, 'CREATE TABLE the_time (ms BIGINT)');
    await cluster().query(url, 'INSERT INTO the_time VALUES (1000)');
    storage = await openDatabase({ url, clock: createFakeClock() }, '(SELECT ms FROM the_time)');
    at = 1_000;
  });
  afterEach(() => storage.close());

  async function later(ms: number): Promise<void> {
    at += ms;
    await cluster().query(url, `UPDATE the_time SET ms = ${at}`);
  }
  const holders = async (): Promise<(string | undefined)[]> =>
    (await storage.processes.servers(ANNE)).map(({ holder }) => holder?.id);

  test('a server is held by one process until it is released', async () => {
    const { processes } = storage;
    expect(await processes.take(ANNE, A, ['files', 'time'], MS)).toEqual(['files', 'time']);
    expect(await processes.take(ANNE, B, ['files', 'time', 'more'], MS)).toEqual(['more']);
    await processes.release(ANNE, 'b', ['files']);
    expect(await holders()).toEqual(['a', 'b', 'a']);
    await processes.release(ANNE, 'a', ['files']);
    expect(await processes.take(ANNE, B, ['files', 'time'], MS)).toEqual(['files']);
    expect(await storage.processes.servers({ ownerId: 'ben' })).toEqual([]);
  });

  test('a process without heartbeat for the length of a lease loses its servers, and learns so with its next heartbeat', async () => {
    const { processes } = storage;
    await processes.heartbeat({ ...A, startedAt: 1 }, MS);
    await processes.take(ANNE, A, ['files', 'time'], MS);
    await later(MS - 1);
    expect(await processes.heartbeat({ ...A, startedAt: 1 }, MS)).toHaveLength(2);
    await later(MS);
    expect(await processes.listLive()).toEqual([]);
    expect(await holders()).toEqual([undefined, undefined]);
    expect(await processes.take(ANNE, B, ['files'], MS)).toEqual(['files']);
    expect(await processes.heartbeat({ ...A, startedAt: 1 }, MS)).toEqual([{ ownerId: 'anne', serverId: 'time' }]);
    expect(await processes.listLive()).toEqual([A]);
  });

  test('only the holder describes a server, and each change has a new version', async () => {
    const { processes } = storage;
    await processes.take(ANNE, A, ['files'], MS);
    expect(await processes.publish(ANNE, 'b', 'files', '{"b":1}')).toBe(false);
    const [before] = await processes.servers(ANNE);
    expect(await processes.publish(ANNE, 'a', 'files', '{"a":1}')).toBe(true);
    const [after] = await processes.servers(ANNE);
    expect(after?.version).toBeGreaterThan(before?.version ?? Infinity);
    expect(after).toMatchObject({ catalogue: '{"a":1}', holder: { id: 'a', address: A.address } });
    await processes.remove('a');
    expect(await processes.servers(ANNE)).toMatchObject([{ holder: null, catalogue: '{"a":1}' }]);
  });
});
