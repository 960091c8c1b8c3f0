import { expect, test } from 'vitest';
import { serverKind } from './server-kind.ts';

const remote = { type: 'http', url: 'https://example.com/mcp' } as const;
const command = { type: 'stdio', command: 'npx' } as const;

test.each([
  [{ id: 'my-files', builtIn: false, transport: command }, 'files'],
  [{ id: 'x1', builtIn: false, transport: remote, entry: { name: 'Weather' } }, 'map'],
  [{ id: 'x1', builtIn: false, transport: remote, entry: { name: 'Office' } }, 'browser-only'],
  [{ id: 'profiles', builtIn: false, transport: command }, 'local'],
  [{ id: 'office', builtIn: false, transport: remote }, 'remote'],
  [{ id: 'broken', builtIn: false, transport: null }, 'remote'],
  [{ id: 'date', builtIn: true, transport: null }, 'built-in'],
] as const)('finds the kind of the server %j', (server, kind) => {
  expect(serverKind(server)).toBe(kind);
});
