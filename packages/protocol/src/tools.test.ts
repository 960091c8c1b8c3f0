import { expect, test } from 'vitest';
import type { PermissionView } from './schemas/permissions.ts';
import { findDecision, originOf, readTaskHandle } from './tools.ts';
import { defined } from './defined.ts';

const TOOL = { serverId: 'browser-use', name: 'open' };
const decided = (origin: 'server' | 'tab' | undefined, decision: PermissionView['decision']) => ({
  tool: { ...TOOL, ...defined({ origin }) },
  decision,
});

test('the origin is what the reference says, whatever its server is called', () => {
  expect(originOf({ ...TOOL, origin: 'server' }, () => false)).toBe('server');
  expect(originOf({ serverId: 'files', name: 'read', origin: 'tab' }, () => true)).toBe('tab');
});

test('a reference stored without an origin belongs to a tab only if its id says so and no server has it', () => {
  expect(originOf(TOOL, () => false)).toBe('tab');
  expect(originOf(TOOL, () => true)).toBe('server');
  expect(originOf({ serverId: 'files', name: 'read' }, () => false)).toBe('server');
});

test('an "allow" for the tool of a tab does not count for a server of the same id, nor the other way round', () => {
  const [server, tab] = [
    { ...TOOL, origin: 'server' as const },
    { ...TOOL, origin: 'tab' as const },
  ];
  expect(findDecision(server, [decided('tab', 'allow')])).toBeUndefined();
  expect(findDecision(tab, [decided('server', 'allow')])).toBeUndefined();
  expect(findDecision(tab, [decided(undefined, 'allow')])).toBeUndefined();
  expect(findDecision(server, [decided(undefined, 'allow')])).toBe('allow');
  expect(findDecision(tab, [decided('tab', 'allow')])).toBe('allow');
});

test('a "never" counts for both, and before any "allow"', () => {
  const tab = { ...TOOL, origin: 'tab' as const };
  expect(findDecision(tab, [decided('tab', 'allow'), decided('server', 'never')])).toBe('never');
  expect(findDecision(tab, [decided(undefined, 'never'), decided('tab', 'allow')])).toBe('never');
});

test('the handle of a task keeps the origin, and one stored without is read', () => {
  const handle = { tool: { ...TOOL, origin: 'server' }, taskId: 't', era: 'modern' };
  expect(readTaskHandle(handle)).toEqual(handle);
  expect(readTaskHandle({ ...handle, tool: TOOL })).toEqual({ ...handle, tool: TOOL });
  expect(readTaskHandle({ ...handle, tool: { ...TOOL, origin: 'moon' } })).toEqual({ ...handle, tool: TOOL });
});
