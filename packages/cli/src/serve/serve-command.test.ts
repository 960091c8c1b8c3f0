import { expect, it } from 'vitest';
import { Served } from '../test-fixtures/served.ts';

it('a token stands in nothing that is written where no person reads it', async () => {
  await using served = await Served.start({ args: ['--token', 'the-token-of-a-test'] });
  await served.stop();
  expect(served.stdout).toBe(`Toolyard is at ${served.url}\n`);
  expect(served.log).not.toContain('the-token-of-a-test');
});
