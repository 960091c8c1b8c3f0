import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { startServer } from '@toolyard/server';
import { eventually, within } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startConnectionProxy } from './support/connection-proxy.ts';
import { startLocalServer } from './support/local-server.ts';
import { serverOptions } from './support/server-options.ts';

const ENV = { TOOLYARD_SECRET: 'a secret of the test' };

describeOnDatabases('a server that is closed while its database does not answer', (cluster) => {
  test('names what it waits for, and closes once the connection is lost', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-ending-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const database = await startDatabase();
    const server = await startServer(serverOptions({ dataDir, databaseUrl: database.url, env: ENV }));
    database.silence();
    const closed = server.close();
    expect(await eventually(() => server.waitsFor, { what: 'what the server waits for' })).toMatch(/\S/);
    database.cut();
    await within(closed, { what: 'the end of the server' });
  });

  test('exits after the shutdown timeout as `toolyard serve`, and logs what it waited for', async () => {
    const database = await startDatabase();
    const server = await startLocalServer({ env: { ...ENV, DATABASE_URL: database.url } });
    database.silence();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const exitCode = server.stop();
    await vi.advanceTimersByTimeAsync(25_000);
    vi.useRealTimers();
    expect(await within(exitCode, { what: 'the exit code' })).toBe(1);
    // Which component waits longest depends on its connection.
    expect(server.log()).toMatch(/exiting\. Still open: (?!resources of this process)\S.*\n/);
    database.cut();
    await server[Symbol.asyncDispose]();
  });

  /** A database of the cluster behind a connection that can fall silent or be cut. */
  async function startDatabase(): Promise<{ url: string; silence: () => void; cut: () => void }> {
    let isSilent = false;
    const address = new URL(await cluster().createDatabase());
    const { port } = address;
    const line = await startConnectionProxy(
      () => Number(port),
      () => new Transform({ transform: (chunk, _encoding, done) => void (isSilent || done(null, chunk)) }),
    );
    onTestFinished(() => line.close());
    address.port = String(line.port);
    return { url: address.href, silence: () => (isSilent = true), cut: () => line.cut() };
  }
});
