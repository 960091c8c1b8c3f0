import { expect, test } from 'vitest';
import type { PermissionView } from './schemas/permissions.ts';
import { findDecision, readTaskHandle } from './tools.ts';
import { defined } from './defined.ts';

const TOOL = { serverId: 'browser-use', name: 'open' };
const decided = (origin: 'server' | 'tab' | undefined, decision: PermissionView['decision']) => ({
  tool: { ...TOOL, ...defined({ origin }) },
  decision,
});

test('applies an "allow" only to the tool of the same origin', () => {
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

test('applies a "never" to both origins, before any "allow"', () => {
  const tab = { ...TOOL, origin: 'tab' as const };
  expect(findDecision(tab, [decided('tab', 'allow'), decided('server', 'never')])).toBe('never');
  expect(findDecision(tab, [decided(undefined, 'never'), decided('tab', 'allow')])).toBe('never');
});

test('keeps the origin in a task handle, and reads one stored without', () => {
  const handle = { tool: { ...TOOL, origin: 'server' }, taskId: 't', era: 'modern' };
  expect(readTaskHandle(handle)).toEqual(handle);
  expect(readTaskHandle({ ...handle, tool: TOOL })).toEqual({ ...handle, tool: TOOL });
  expect(readTaskHandle({ ...handle, tool: { ...TOOL, origin: 'moon' } })).toEqual({ ...handle, tool: TOOL });
});
