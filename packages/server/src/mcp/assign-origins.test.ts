import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '@toolyard/storage';
import { expect, it } from 'vitest';
import { OWNER, commandServer, useServerBench } from './test-fixtures/server-bench.ts';

const room = useServerBench({ builtIn: [commandServer('date', 'plain')] });

/** Stores permissions as a version without origins did. */
async function decidedBefore(...tools: (readonly [serverId: string, decision: 'allow' | 'never'])[]): Promise<void> {
  for (const [serverId, decision] of tools) {
    const tool = { serverId, name: 'open' };
    await room.storage.permissions.set(OWNER, { tool, conversationId: null, decision, at: 1 });
  }
  const database = new DatabaseSync(join(room.folder, DATABASE_FILE));
  database.exec('UPDATE permissions SET origin = NULL');
  database.close();
}

it('permissions of earlier versions get the origin of their server, and an unpinned "allow" asks once', async () => {
  const { permissions, settings } = room.storage;
  const pin = { hash: 'known', endpoint: 'e', definition: {} };
  await settings.set(OWNER, 'mcp.pin:files/open', pin, 1);
  await decidedBefore(
    ['browser-notes', 'allow'],
    ['browser-use', 'allow'],
    ['browser-old', 'never'],
    ['date', 'allow'],
    ['files', 'allow'],
  );
  const off = { url: 'https://a.example/mcp', disabled: true };
  await room.start({ 'browser-use': off, files: off });

  const origins = (await permissions.list(OWNER)).map(({ tool }) => [tool.serverId, tool.origin ?? 'server']);
  expect(origins).toEqual([
    ['browser-notes', 'tab'],
    ['browser-old', 'tab'],
    ['browser-use', 'server'],
    ['date', 'server'],
    ['files', 'server'],
  ]);
  const pins = [...(await settings.all(OWNER))].filter(([key]) => key.startsWith('mcp.pin:'));
  // No definition has this hash: the next call shows the current definition.
  expect(pins).toEqual([
    ['mcp.pin:browser-use/open', { hash: '', endpoint: '', definition: {} }],
    ['mcp.pin:files/open', pin],
  ]);

  // Assigned once: a server with the name of a tab's server does not inherit its permissions later.
  await room.start({ 'browser-use': off, 'browser-notes': off, files: off });
  expect((await permissions.list(OWNER))[0]?.tool).toEqual({ serverId: 'browser-notes', name: 'open', origin: 'tab' });
});
