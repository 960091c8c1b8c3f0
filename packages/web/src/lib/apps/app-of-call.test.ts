import { expect, it } from 'vitest';
import { appOfCall, earlyAppOfCall } from './app-of-call.ts';

const view = (name: string, permission: 'allow' | 'never' | null = null) => ({
  tool: { serverId: 'clock', name },
  name,
  ui: { resourceUri: 'ui://clock/app', visibility: ['model' as const] },
  permission,
});
const servers = [{ id: 'clock', tools: [view('show'), view('allowed', 'allow'), view('denied', 'never')] }];
const writing = (name: string) => ({ name, tool: null, over: false });
const APP = { place: 'server', serverId: 'clock', tool: 'allowed', uri: 'ui://clock/app' };

it('finds the app of a call by place, server and tool', () => {
  const tool = { serverId: 'clock', name: 'allowed' };
  expect(appOfCall({ tool }, servers, [])).toEqual(APP);
  expect(appOfCall({ tool: { ...tool, origin: 'tab' } }, servers, servers)).toEqual({ ...APP, place: 'tab' });
  expect(appOfCall({ tool: { ...tool, origin: 'tab' } }, servers, [])).toBeNull();
  expect(appOfCall({ tool: null }, servers, servers)).toBeNull();
});

it('shows an app before its call is made only if the call needs no approval', () => {
  expect(earlyAppOfCall(writing('allowed'), 'manual', servers)).toEqual(APP);
  expect(earlyAppOfCall(writing('show'), 'manual', servers)).toBeNull();
  expect(earlyAppOfCall(writing('denied'), 'manual', servers)).toBeNull();
  expect(earlyAppOfCall(writing('show'), 'auto', servers)).toEqual({ ...APP, tool: 'show' });
  expect(earlyAppOfCall({ ...writing('allowed'), over: true }, 'auto', servers)).toBeNull();
  const ofTab = { serverId: 'clock', name: 'allowed', origin: 'tab' as const };
  expect(earlyAppOfCall({ ...writing('allowed'), tool: ofTab }, 'auto', servers)).toBeNull();
  const changed = { ...view('allowed', 'allow'), changed: { hasMoved: false, differences: [] } };
  expect(earlyAppOfCall(writing('allowed'), 'auto', [{ id: 'clock', tools: [changed] }])).toBeNull();
  const twice = [...servers, { id: 'other', tools: [view('allowed', 'allow')] }];
  expect(earlyAppOfCall(writing('allowed'), 'auto', twice)).toBeNull();
});
