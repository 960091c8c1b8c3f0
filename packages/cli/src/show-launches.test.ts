import { expect, test } from 'vitest';
import { launchLines } from './show-launches.ts';

test('shows the time and last line of a downloading launcher, and no other server', () => {
  const launch = { launcher: 'npx', since: 1_000, stderr: ['first', '\u001b[31mnpm http fetch\nGET'] };
  const servers = [
    { id: 'date' },
    { id: 'files', launch },
    { id: 'new', launch: { launcher: 'uvx', since: 40_000, stderr: [] } },
  ];
  expect(launchLines(servers, 41_000)).toEqual([
    { id: 'files', seconds: 40, text: 'server files: Downloading… 40 s (npx): [31mnpm http fetch GET' },
  ]);
});
