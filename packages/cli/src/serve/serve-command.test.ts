import { expect, it } from 'vitest';
import { Served } from '../test-fixtures/served.ts';

it('prints no token or sign-in link unless stdout is a terminal', async () => {
  await using served = await Served.start({ args: ['--token', 'the-token-of-a-test'] });
  await served.stop();
  expect(served.stdout).toBe(`Toolyard is listening at ${served.url}\n`);
  expect(served.log).not.toContain('the-token-of-a-test');
});
