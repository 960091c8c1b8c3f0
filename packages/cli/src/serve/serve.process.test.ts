import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAlive, listProcessTree } from '@toolyard/testing';
import { ServedProcess } from '../test-fixtures/served-process.ts';
import { spawnCommand } from '../test-fixtures/spawn-command.ts';

const serveAgain = (dataDir: string) => spawnCommand(['serve', '--data-dir', dataDir, '--port', '0']);

it('locks the data folder against another process until it is killed, and starts again from what was stored', async () => {
  await using served = await ServedProcess.start({ mcp: { mine: { tools: [{ name: 'echo' }], stubborn: true } } });
  await served.post('/api/conversations', { id: 'c', title: 'Kept' });
  const refused = await serveAgain(served.dataDir);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(
    `${served.dataDir} is in use by the Toolyard server at ${served.url} (process ${served.pid})`,
  );
  expect(await served.get('/health')).toMatchObject({ status: 'ok' });
  await expect.poll(() => listProcessTree(served.pid).length, { message: 'an MCP server' }).toBeGreaterThan(1);
  const processes = listProcessTree(served.pid);
  expect(await served.end('SIGKILL')).toEqual([null, 'SIGKILL']);
  await served.start();
  expect(await served.get('/api/conversations/c')).toMatchObject({ title: 'Kept' });
  // The MCP server ignores the end of its input; the next start ends it.
  expect(processes.filter(isAlive)).toEqual([]);
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'exits with 0 on %s and leaves no process and no server.json',
  async (signal) => {
    await using served = await ServedProcess.start({ date: true, mcp: { mine: { tools: [{ name: 'echo' }] } } });
    await expect.poll(() => listProcessTree(served.pid).length, { message: 'two MCP servers' }).toBeGreaterThan(2);
    const tree = listProcessTree(served.pid);
    expect(await served.end(signal)).toEqual([0, null]);
    expect(tree.filter(isAlive)).toEqual([]);
    expect(existsSync(join(served.dataDir, 'server.json'))).toBe(false);
    expect(served.log).toContain('shutting down; press Ctrl-C again to exit immediately');
  },
);
