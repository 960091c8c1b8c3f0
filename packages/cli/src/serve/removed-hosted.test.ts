import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { McpServerList, McpServerView } from '@toolyard/protocol';
import { eventually, startHostedService } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { Served } from '../test-fixtures/served.ts';

describeOnDatabases('a hosted server that was removed at one process', (cluster) => {
  it('is not recreated by processes with an old mcp.json, until it is added again', async () => {
    await using ends = new AsyncDisposableStack();
    const service = ends.use(await startHostedService({ behaviour: { tools: [{ name: 'send' }] } }));
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-removed-'));
    ends.defer(() => rmSync(folder, { recursive: true }));
    const env = { DATABASE_URL: await cluster().createDatabase(), TOOLYARD_SECRET: 'a secret of the test' };
    const hosted = { service: 'klavis', server: 'Gmail', apiKey: 'key-of-the-test', url: service.url };

    /** Each process has its own data folder and mcp.json. */
    async function start(name: string, role: string): Promise<Served> {
      const dataDir = join(folder, name);
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(join(dataDir, 'mcp.json'), JSON.stringify({ mcpServers: { mail: { hosted } } }));
      return ends.use(await Served.start({ dataDir, env, args: ['--role', role] }));
    }
    const mailAt = async (served: Served): Promise<McpServerView | undefined> =>
      (await served.get<McpServerList>('/api/mcp/servers')).items.find(({ id }) => id === 'mail');
    const made = (): number => service.asked.filter(({ path }) => path.endsWith('/create')).length;

    const web = await start('web', 'web');
    const old = await start('old-web', 'web');
    const worker = await start('worker', 'worker');
    await eventually(async () => (await mailAt(web))?.state === 'ready', { what: 'the server' });
    expect([made(), service.instances.length]).toEqual([1, 1]);

    await fetch(`${web.url}/api/mcp/servers/mail`, { method: 'DELETE' });
    expect(service.instances).toEqual([]);
    await worker.stop();
    const again = await start('worker', 'worker');
    const notice = await eventually(
      async () => {
        const mail = await mailAt(old);
        return mail?.state === 'failed' && mail.error?.code === 'bad_config' ? mail.error : null;
      },
      { what: 'that it was removed' },
    );
    expect(notice.message).toContain('was removed and deleted at Klavis');
    expect(await mailAt(web)).toBeUndefined();
    expect([made(), service.instances.length]).toEqual([1, 0]);

    // Before it is added: afterwards this process may be creating it.
    await again.stop();
    await web.post('/api/mcp/servers', { id: 'mail', transport: { type: 'hosted', ...hosted } });
    await start('worker', 'worker');
    await eventually(async () => (await mailAt(web))?.state === 'ready', { what: 'it again' });
    expect([made(), service.instances.length]).toEqual([2, 1]);
  });
});
