import { Transform } from 'node:stream';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expect, test } from 'vitest';
import { layLine } from './support/cuttable-line.ts';
import { startServerProcess } from './support/server.ts';

describeOnPostgres('toolyard serve after SIGTERM while its database does not answer', (cluster) => {
  test('exits all the same, and names what it waited for', async () => {
    let isSilent = false;
    const address = new URL(await cluster().createDatabase());
    const { port } = address;
    const line = await layLine(
      () => Number(port),
      () => new Transform({ transform: (chunk, _encoding, done) => void (isSilent || done(null, chunk)) }),
    );
    address.port = String(line.port);
    const env = { DATABASE_URL: address.href, TOOLYARD_SECRET: 'a secret of the test' };
    await using server = await startServerProcess({ env });
    isSilent = true;
    await server.stop();
    // Which part waits longest depends on the connection each was given: a new one is given up long before one that was
    // there. Each has a name, and that is told; what is open in this process is told of where none is waited for.
    expect(server.log()).toMatch(/ended all the same; what held on: (?!open in this process)\S.*\n/);
    await line.close();
  });
});
