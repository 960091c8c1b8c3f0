import type { ToolHost } from '../types.ts';
import { eventually } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, scripted } from '../node/test-fixtures/peers.ts';

let host: McpHost;
afterEach(() => host.close());

const names = (tools: ToolHost): string[] => tools.tools().map(({ name }) => name);
const two = { tools: [{ name: 'read' }, { name: 'write' }] };

describe('selected servers', () => {
  test('have only their own tools, named as if there were no others', async () => {
    host = await connected([scripted('a', two), scripted('b', two), scripted('c', 'plain')]);
    expect(names(host)).toEqual(['a__read', 'a__write', 'b__read', 'b__write', 'echo']);
    const view = host.select(new Set(['c', 'a']));
    expect(names(view)).toEqual(['read', 'write', 'echo']);
    expect(view.resolve('read')?.tool).toEqual({ serverId: 'a', name: 'read', origin: 'server' });
    expect(view.resolve('b__read')).toBeUndefined();
  });

  test('reject calls of other tools', async () => {
    host = await connected([scripted('a', two), scripted('b', two)]);
    const view = host.select(new Set(['a']), ({ name }) => name === 'write');
    expect(await view.callTool({ serverId: 'a', name: 'read' }, {})).toMatchObject({ outcome: 'done' });
    for (const tool of [
      { serverId: 'b', name: 'read' },
      { serverId: 'a', name: 'write' },
      { serverId: 'none', name: 'read' },
    ]) {
      expect(await view.callTool(tool, {})).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
    }
  });

  test('keep the names of their tools when one is hidden', async () => {
    host = await connected([scripted('a', two), scripted('b', two)]);
    const view = host.select(new Set(['a', 'b']), ({ serverId, name }) => serverId === 'a' && name === 'read');
    expect(names(view)).toEqual(['a__write', 'b__read', 'b__write']);
    expect(view.resolve('a__read')).toBeUndefined();
  });

  test('rebuild their list only when one of them has changed', async () => {
    host = await connected([scripted('a', two), scripted('b', 'tools-list-changed')]);
    const [one, both] = [host.select(new Set(['a'])), host.select(new Set(['a', 'b']))];
    const [ofOne, ofBoth] = [one.tools(), both.tools()];
    expect(both.tools()).toBe(ofBoth);
    await host.callTool({ serverId: 'b', name: 'grow' }, {});
    await eventually(() => names(both).includes('grown'));
    expect(one.tools()).toBe(ofOne);
    expect(both.tools()).not.toBe(ofBoth);
  });

  test('lose the tools of a disconnected server and regain them with it', async () => {
    host = await connected([scripted('a', two), scripted('b', 'plain')]);
    const view = host.select(new Set(['a', 'b']));
    await host.disconnect('b');
    expect(names(view)).toEqual(['read', 'write']);
    await host.connect('b');
    expect(names(view)).toEqual(['read', 'write', 'echo']);
  });
});
