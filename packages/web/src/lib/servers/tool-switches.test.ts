import { expect, it } from 'vitest';
import type { McpServerView } from '@toolyard/protocol';
import { testServer } from './test-fixtures/test-servers.ts';
import { activeTools, failedServers, isServerOn, switchServer, switchTools } from './tool-switches.ts';

const server = testServer;

const names = (servers: McpServerView[], choices: Parameters<typeof activeTools>[1]) =>
  activeTools(servers, choices).map((view) => `${view.tool.serverId}/${view.tool.name}`);

it('an explicit override wins over the default of the server, both ways', () => {
  const off = server('a', ['x'], { enabled: false });
  expect(isServerOn(off, {})).toBe(false);
  expect(isServerOn(off, switchServer({}, 'a', true))).toBe(true);
  expect(isServerOn(server('a', []), switchServer({}, 'a', false))).toBe(false);
});

it('counts callable tools: neither disabled ones nor ones that are never allowed', () => {
  const servers = [server('a', ['x', 'y']), server('b', ['x'])];
  const first = servers[0]?.tools[1];
  if (first !== undefined) first.permission = 'never';
  expect(names(servers, {})).toEqual(['a/x', 'b/x']);
  expect(names(servers, { servers: { b: false } })).toEqual(['a/x']);
});

it('switches a tool of one server without its namesake on another', () => {
  const servers = [server('a', ['x']), server('b', ['x'])];
  const off = switchTools({}, [{ serverId: 'a', name: 'x' }], false);
  expect(names(servers, off)).toEqual(['b/x']);
  expect(switchTools(off, [{ serverId: 'a', name: 'x' }], true)).toEqual({ disabledTools: [] });
});

it('switches all tools of a server at once and keeps other overrides', () => {
  const tools = [
    { serverId: 'a', name: 'x' },
    { serverId: 'a', name: 'y' },
  ];
  const off = switchTools({ disabledTools: ['b/z', 'a/x'] }, tools, false);
  expect(off).toEqual({ disabledTools: ['b/z', 'a/x', 'a/y'] });
  expect(switchTools(off, tools, true)).toEqual({ disabledTools: ['b/z'] });
});

it('warns of a failed server only if it is enabled', () => {
  const failed = server('a', [], { state: 'failed' });
  expect(failedServers([failed], {})).toHaveLength(1);
  expect(failedServers([failed], { servers: { a: false } })).toHaveLength(0);
});
