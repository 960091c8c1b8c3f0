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
  [[`--header=Authorization: Bearer ${SECRET}`], [`--header=Authorization: ${REDACTED}`]],
  [[`-HX-Any: ${SECRET}`], [`-HX-Any: ${REDACTED}`]],
  [
    ['-e', `DATABASE=${SECRET}`],
    ['-e', `DATABASE=${REDACTED}`],
  ],
  [[`--env=DATABASE=${SECRET}`], [`--env=DATABASE=${REDACTED}`]],
  [[`npx -y x --api-key ${SECRET} --port 3`], [`npx -y x --api-key ${REDACTED} --port 3`]],
  [[`API_TOKEN=${SECRET} npx x && y`], [`API_TOKEN=${REDACTED} npx x && y`]],
  [[`export AUTH='Bearer ${SECRET}'; x`], [`export AUTH='${REDACTED}'; x`]],
  [[`{"apiKey": "${SECRET}", "mode": "a"}`], [`{"apiKey": "${REDACTED}", "mode": "a"}`]],
  [[`--config={"token":"${SECRET}"}`], [`--config={"token":"${REDACTED}"}`]],
  [[`Server=db;User=me;Password=${SECRET};Port=1`], [`Server=db;User=me;Password=${REDACTED};Port=1`]],
  [[`curl -H "X: Bearer ${SECRET}"`], [`curl -H "X: Bearer ${REDACTED}"`]],
  [
    [`--a=https://x/#${SECRET} --b=ws://me:${SECRET}@y/?z=${SECRET}`],
    [`--a=https://x/#${REDACTED} --b=ws://${REDACTED}@y/?${REDACTED}`],
  ],
  [['https://x/hooks/a1b2c3d4e5f6a1b2c3d4e5/mcp'], [`https://x/hooks/${REDACTED}/mcp`]],
  [[`/mcp?token=${SECRET}&a=1`], [`/mcp?token=${REDACTED}&a=1`]],
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
    'https://mcp.example.com/mcp?key=${env:KEY}',
    'https://${env:USER}:${env:PASS}@mcp.example.com/',
    '--author=me',
    '{"token": "${env:KEY}"}',
    'https://example.com/keys/list',
  ];
  expect(displayArguments(args)).toEqual(args);
  expect(displayArguments(['--header', 'Authorization: Bearer ${env:KEY}'])).toEqual([
    '--header',
    'Authorization: Bearer ${env:KEY}',
  ]);
});
