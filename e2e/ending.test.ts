import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { startServer } from '@toolyard/server';
import { eventually, within } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { layLine } from './support/cuttable-line.ts';
import { serverOptions } from './support/server-options.ts';

// `toolyard serve` exits all the same after a while: `packages/cli/src/serve/end-anyway.test.ts`, and both together in
// `ending.long.test.ts`.
describeOnPostgres('a server that is closed while its database does not answer', (cluster) => {
  test('names what it waits for, and closes once the connection is lost', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-ending-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    let isSilent = false;
    const address = new URL(await cluster().createDatabase());
    const { port } = address;
    const line = await layLine(
      () => Number(port),
      () => new Transform({ transform: (chunk, _encoding, done) => void (isSilent || done(null, chunk)) }),
    );
    onTestFinished(() => line.close());
    address.port = String(line.port);
    const env = { TOOLYARD_SECRET: 'a secret of the test' };
    const server = await startServer(serverOptions({ dataDir, databaseUrl: address.href, env }));
    isSilent = true;
    const closed = server.close();
    expect(await eventually(() => server.waitsFor, { what: 'what the server waits for' })).toMatch(/\S/);
    line.cut();
    await within(closed, { what: 'the end of the server' });
  });
});
