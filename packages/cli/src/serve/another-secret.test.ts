import { expect, it } from 'vitest';
import type { McpServerList, ProviderView, RunRecord, ToolResult } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { Served } from '../test-fixtures/served.ts';

const OLD = 'the passphrase of the first year';
const NEW = 'the passphrase of the second year';
const NO_MATTER = /TOOLYARD_SECRET differs from the secret of this database.*\n?.*Start with the previous value/;

describeOnDatabases('TOOLYARD_SECRET over a database', (cluster) => {
  it('stops a process of any role that starts with another secret, or none', async () => {
    const env = { DATABASE_URL: await cluster().createDatabase() };
    await using served = await Served.start({ env: { ...env, TOOLYARD_SECRET: OLD } });
    await served.post<ProviderView>('/api/providers', { label: 'Keyed', baseUrl: served.url, apiKey: 'sk-right' });
    for (const role of ['web', 'worker', 'tools', 'all']) {
      const start = Served.start({ env: { ...env, TOOLYARD_SECRET: NEW }, args: ['--role', role] });
      await expect(start, role).rejects.toThrow(NO_MATTER);
    }
    await expect(Served.start({ env })).rejects.toThrow(
      'TOOLYARD_SECRET is not set, but this database was encrypted with one',
    );
    const short = Served.start({ env: { ...env, TOOLYARD_SECRET: 'too short' } });
    await expect(short).rejects.toThrow('TOOLYARD_SECRET has 9 characters');
    await using beside = await Served.start({ env: { ...env, TOOLYARD_SECRET: OLD } });
    expect((await fetch(`${beside.url}/ready`)).status).toBe(200);
  });

  it('is rotated process by process while all run, if each has both', async () => {
    await using model = Object.assign(await startModelServer(() => reply.text('Yes.'), { requireKey: 'sk-right' }), {
      [Symbol.asyncDispose]: () => model.close(),
    });
    const database = { DATABASE_URL: await cluster().createDatabase() };
    const before = { ...database, TOOLYARD_SECRET: OLD, TOOLYARD_SECRET_OLD: NEW };
    const after = { ...database, TOOLYARD_SECRET: NEW, TOOLYARD_SECRET_OLD: OLD };
    const mcp = { lab: { tools: [{ name: 'say', does: [{ do: 'echo' as const }] }] } };
    await using ends = new AsyncDisposableStack();
    const start = async (role: string, env: NodeJS.ProcessEnv): Promise<Served> =>
      ends.use(await Served.start({ mcp, env, args: ['--role', role] }));

    const running = new Map<string, Served>();
    for (const role of ['web', 'worker', 'tools']) running.set(role, await start(role, before));
    const web = (): Served => running.get('web') ?? expect.fail('there is no web process');
    const { id: providerId } = await web().post<ProviderView>('/api/providers', {
      label: 'Keyed',
      baseUrl: model.url,
      apiKey: 'sk-right',
    });
    const configuration = { model: { providerId, modelId: 'scripted' } };

    async function expectAtWork(name: string): Promise<void> {
      await eventually(async () => {
        const { items } = await web().get<McpServerList>('/api/mcp/servers');
        return items.find(({ id }) => id === 'lab')?.state === 'ready';
      });
      // The server may have been connected to the process that has just exited; the call then waits for the next one.
      await eventually(async () => {
        const called = await web().post<ToolResult>('/api/mcp/servers/lab/tools/call', {
          tool: 'say',
          arguments: { name },
        });
        return JSON.stringify(called).includes(name);
      });
      await web().post('/api/conversations', { id: name, configuration });
      const parts = [{ type: 'text', text: 'Are you there?' }];
      const { run } = await web().post<{ run: RunRecord }>(`/api/conversations/${name}/messages`, { parts });
      const now = (): Promise<RunRecord> => web().get<RunRecord>(`/api/runs/${run.id}`);
      await eventually(async () => (await now()).endedAt !== null);
      expect((await now()).status, name).toBe('done');
    }

    await expectAtWork('before');
    for (const role of ['tools', 'worker', 'web']) {
      const next = await start(role, after);
      await running.get(role)?.stop();
      running.set(role, next);
      await expectAtWork(`with-another-${role}`);
    }
    await expect(Served.start({ env: { ...database, TOOLYARD_SECRET: OLD } })).rejects.toThrow(NO_MATTER);
    await using alone = await Served.start({ env: { ...database, TOOLYARD_SECRET: NEW } });
    expect((await fetch(`${alone.url}/ready`)).status).toBe(200);
  });
});
