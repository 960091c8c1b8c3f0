import { expect, test } from 'vitest';
import { displayArguments, REDACTED } from './redact.ts';

const SECRET = 'correct-horse-battery';

test.each([
  [
    ['--api-key', SECRET],
    ['--api-key', REDACTED],
  ],
  [[`--token=${SECRET}`], [`--token=${REDACTED}`]],
  [
    ['-e', `GITHUB_TOKEN=${SECRET}`],
    ['-e', `GITHUB_TOKEN=${REDACTED}`],
  ],
  [
    ['--header', `Authorization: Bearer ${SECRET}`],
    ['--header', `Authorization: ${REDACTED}`],
  ],
  [[`postgresql://me:${SECRET}@db:5432/app`], [`postgresql://${REDACTED}@db:5432/app`]],
  [[`https://mcp.example.com/mcp?key=${SECRET}`], [`https://mcp.example.com/mcp?${REDACTED}`]],
  [['sk-proj-0123456789abcdefghij'], [REDACTED]],
])('hides the secret of the arguments %j', (args, shown) => {
  expect(displayArguments(args)).toEqual(shown);
});

test('shows packages, folders and references to variables as written', () => {
  const args = [
    '--max-semi-space-size=2',
    '-y',
    '@modelcontextprotocol/server-filesystem@1.0',
    '/home/me/notes',
    '--api-key',
    '${env:KEY}',
  ];
  expect(displayArguments(args)).toEqual(args);
  expect(displayArguments(['--header', 'Authorization: Bearer ${env:KEY}'])).toEqual([
    '--header',
    'Authorization: Bearer ${env:KEY}',
  ]);
});
