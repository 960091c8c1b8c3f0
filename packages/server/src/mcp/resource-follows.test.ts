import { ToolyardError } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { ResourceFollows } from './resource-follows.ts';

function stage() {
  const clock = createFakeClock();
  const listeners = new Map<string, () => void>();
  const changed: string[] = [];
  const follows = new ResourceFollows({
    clock,
    async follow(serverId, uri, listener) {
      if (uri === 'bad') throw new ToolyardError({ code: 'server_refused', message: 'no' });
      listeners.set(`${serverId} ${uri}`, listener);
      return async () => void listeners.delete(`${serverId} ${uri}`);
    },
    changed: (id) => changed.push(id),
  });
  const readVersion = async (uri = 'a'): Promise<string | null | undefined> =>
    (await follows.follow('s', [uri])).items[0]?.version;
  return { clock, listeners, changed, follows, versionOf: readVersion };
}

test('one subscription serves all clients, and its version changes with each update', async () => {
  const { listeners, changed, versionOf } = stage();
  const first = await versionOf();
  expect(await versionOf()).toBe(first);
  listeners.get('s a')?.();
  expect(changed).toEqual(['s']);
  expect(await versionOf()).not.toBe(first);
});

test('a subscription without renewals ends, and a later one has another version', async () => {
  const { clock, listeners, versionOf } = stage();
  const first = await versionOf();
  await clock.advance(100_000);
  await versionOf();
  await clock.advance(100_000);
  expect(listeners.size).toBe(1);
  await clock.advance(400_000);
  expect(listeners.size).toBe(0);
  expect(await versionOf()).not.toBe(first);
});

test('a rejected subscription does not prevent the others, and is tried again', async () => {
  const { follows } = stage();
  const { items } = await follows.follow('s', ['a', 'bad']);
  expect(items).toMatchObject([{ version: expect.any(String) }, { version: null, error: { code: 'server_refused' } }]);
  expect((await follows.follow('s', ['bad'])).items).toMatchObject([{ version: null }]);
});
