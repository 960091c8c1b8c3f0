import type { GroupView } from '@toolyard/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

test('a group keeps only the number of rounds that the user chose: another order has its own default', async () => {
  const { id: agentId } = (await server.ask('/api/agents', { json: { title: 'Ada' } })).json as { id: string };
  const led = { kind: 'supervisor', supervisor: { instructions: '' } };
  const created = await server.ask('/api/groups', { json: { title: 'Crew', members: [{ agentId }], mode: led } });
  const { id, version } = created.json as GroupView;
  expect(created.json).not.toHaveProperty('maxRounds');
  const change = async (body: object): Promise<unknown> =>
    (await server.ask(`/api/groups/${id}`, { method: 'PATCH', json: body })).json;
  expect(await change({ version, mode: { kind: 'round_robin' } })).not.toHaveProperty('maxRounds');
  expect(await change({ version: version + 1, maxRounds: 4 })).toMatchObject({ maxRounds: 4 });
  expect(await change({ version: version + 2, mode: led })).toMatchObject({ maxRounds: 4 });
  expect(await change({ version: version + 3, maxRounds: null })).not.toHaveProperty('maxRounds');
});
