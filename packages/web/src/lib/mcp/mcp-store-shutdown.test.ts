import { setImmediate as nextTurn } from 'node:timers/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, startScriptedWebSocket } from '@toolyard/testing';
import { addServer, countReceived, createDraft, openStore, RICH, startPeer } from './test-fixtures/tab-stores.ts';

test('a shutdown waits for running calls, closes all sessions and clears servers and resources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-shutdown-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'go-on');
  const peer = await startPeer({
    ...RICH,
    tools: [
      {
        name: 'slow',
        does: [
          { do: 'wait_for_file', file },
          { do: 'text', text: 'done' },
        ],
      },
    ],
  });
  const socket = await startScriptedWebSocket(RICH);
  onTestFinished(() => socket.close());
  const store = await openStore();
  const id = await addServer(store, createDraft('Http', peer.url));
  await addServer(store, createDraft('Socket', socket.url, { transport: 'websocket' }));
  const calling = store.executeTool({ serverId: id, name: 'slow' }, {});
  await eventually(() => expect(countReceived(peer, 'tools/call')).toBe(1));

  // Generous for a loaded machine.
  const leaving = store.shutdown(120_000);
  const isRejected = () =>
    store
      .host()
      .then((host) => host.acquire())
      .then(
        (release) => release(),
        () => true,
      );
  await eventually(isRejected, { what: 'the beginning of the shutdown' });
  writeFileSync(file, '');
  expect(await calling).toMatchObject({ content: [{ text: 'done' }] });
  await leaving;
  expect([store.connectedServers, store.toolCount, store.activeFlows]).toEqual([[], 0, 0]);
  expect(store.resources.serverResources.size).toBe(0);
  await eventually(() => expect([peer.sessionCount, socket.connectionCount]).toEqual([0, 0]));
  expect(socket.handshakes).toHaveLength(1);
});

test('a shutdown waits for what was acquired, and rejects new calls meanwhile', async () => {
  const peer = await startPeer();
  const store = await openStore();
  const id = await addServer(store, createDraft('Http', peer.url));
  const release = (await store.host()).acquire();
  let isOver = false;
  const leaving = store.shutdown(120_000).then(() => (isOver = true));
  await nextTurn();
  const rejected = await store.executeTool({ serverId: id, name: 'echo' }, {});
  expect([rejected.error?.code, store.activeFlows, isOver]).toEqual(['server_closed', 1, false]);
  release();
  release();
  await leaving;
  expect(store.activeFlows).toBe(0);
});

test('a shutdown aborts calls that do not end in time', async () => {
  const peer = await startPeer();
  const store = await openStore();
  const id = await addServer(store, createDraft('Http', peer.url));
  const hanging = store.executeTool({ serverId: id, name: 'hang' }, {});
  await eventually(() => expect(countReceived(peer, 'tools/call')).toBe(1));
  await store.shutdown(1);
  expect(await hanging).toMatchObject({ isError: true, outcome: 'unknown' });
  await eventually(() => expect(peer.sessionCount).toBe(0));
});
