import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { eventually, isAlive } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from './host.ts';
import { connected, getHealth, newHost, scripted } from '../node/test-fixtures/peers.ts';
import type { ServerConfig } from '../types.ts';

let host: McpHost;
afterEach(() => host.close());

/** A server whose tool returns the id of its process. */
function withPid(id: string): ServerConfig {
  const { transport } = scripted(id, 'plain');
  if (transport.type !== 'stdio') throw new Error('expected a stdio server');
  const [...args] = transport.args ?? [];
  const script = `process.stderr.write('pid ' + process.pid + '\\n')`;
  return {
    id,
    transport: { ...transport, args: ['--import', `data:text/javascript,${encodeURIComponent(script)}`, ...args] },
  };
}

async function waitForPid(id: string): Promise<number> {
  return eventually(() => {
    const pidLine = getHealth(host, id).log.findLast(({ text }) => /^pid \d+$/.test(text));
    return pidLine === undefined ? undefined : Number(pidLine.text.slice('pid '.length));
  });
}

const echo = (serverId: string): Promise<{ outcome: string }> => host.callTool({ serverId, name: 'echo' }, {});

describe('servers that are added and removed', () => {
  test('an added server is connected on request, without the others', async () => {
    host = await connected([withPid('a')]);
    const before = await waitForPid('a');
    host.add(withPid('b'));
    expect(getHealth(host, 'b').state).toBe('idle');
    await host.connect('b');
    expect(host.tools().map(({ name }) => name)).toEqual(['a__echo', 'b__echo']);
    expect(await waitForPid('a')).toBe(before);
    expect(() => host.add(withPid('b'))).toThrow('used twice');
  });

  test('a replaced server keeps its position and starts after the old one has ended; the others keep running', async () => {
    host = await connected([withPid('a'), withPid('b')]);
    const [first, other] = [await waitForPid('a'), await waitForPid('b')];
    host.replace(withPid('a'));
    expect(getHealth(host, 'a')).toMatchObject({ state: 'idle', log: [] });
    await host.connect('a');
    expect(isAlive(first)).toBe(false);
    expect(await waitForPid('a')).not.toBe(first);
    expect(await waitForPid('b')).toBe(other);
    expect(host.tools().map(({ name }) => name)).toEqual(['a__echo', 'b__echo']);
    expect(() => host.replace(withPid('c'))).toThrow('no server "c"');
  });

  test('tools disabled in the configuration are neither offered nor called', async () => {
    const two = { tools: [{ name: 'read' }, { name: 'write' }] };
    host = await connected([
      scripted('a', two, { tools: { disabled: ['write'] } }),
      scripted('b', two, { tools: { only: ['write'] } }),
    ]);
    expect(host.tools().map(({ name }) => name)).toEqual(['a__read', 'b__write']);
    expect(host.resolve('a__write')).toBeUndefined();
    for (const view of [host, host.select(new Set(['a']))]) {
      const refused = await view.callTool({ serverId: 'a', name: 'write' }, {});
      expect(refused).toMatchObject({
        outcome: 'not_sent',
        error: { code: 'tool_not_found', message: /switched off/ },
      });
    }
    expect(await host.callTool({ serverId: 'b', name: 'write' }, {})).toMatchObject({ outcome: 'done' });
  });

  test('a disconnected server has no process, rejects calls, and reconnects with a new process', async () => {
    host = await connected([withPid('a'), withPid('b')]);
    const [first, other] = [await waitForPid('a'), await waitForPid('b')];
    await host.disconnect('a');
    expect(isAlive(first)).toBe(false);
    expect(getHealth(host, 'a')).toMatchObject({ state: 'idle', toolCount: 0 });
    expect(host.tools().map(({ name }) => name)).toEqual(['echo']);
    expect(await echo('a')).toMatchObject({ outcome: 'not_sent', error: { code: 'server_closed' } });
    await host.connect('a');
    expect(await waitForPid('a')).not.toBe(first);
    expect(await echo('a')).toMatchObject({ outcome: 'done' });
    expect(await waitForPid('b')).toBe(other);
  });

  test('a reconnected server gets a new process after the old one has ended', async () => {
    host = await connected([withPid('a')]);
    const first = await waitForPid('a');
    await host.reconnect('a');
    expect(isAlive(first)).toBe(false);
    expect(await waitForPid('a')).not.toBe(first);
    expect(await echo('a')).toMatchObject({ outcome: 'done' });
  });

  test('a removed server ends, its calls are answered, and the others stay', async () => {
    host = await connected([scripted('odd', 'never-answers'), withPid('b')]);
    const call = host.callTool({ serverId: 'odd', name: 'hang' }, {});
    await eventually(() => host.activeFlows === 1);
    await host.remove('odd');
    expect(await call).toMatchObject({ outcome: 'unknown', error: { code: 'server_closed' } });
    expect(host.health().map(({ id }) => id)).toEqual(['b']);
    expect(await echo('odd')).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_not_found' } });
    expect(await echo('b')).toMatchObject({ outcome: 'done' });
  });

  test('the last of several conflicting requests wins', async () => {
    host = await connected([withPid('a')]);
    const pid = await waitForPid('a');
    const disconnected = host.disconnect('a');
    const back = host.connect('a');
    const leftAgain = host.disconnect('a');
    await Promise.all([disconnected, leftAgain, expect(back).rejects.toMatchObject({ code: 'server_closed' })]);
    expect(getHealth(host, 'a').state).toBe('idle');
    expect(isAlive(pid)).toBe(false);
  });

  test('closing during a reconnect leaves nothing running', async () => {
    host = await connected([withPid('a')]);
    const pid = await waitForPid('a');
    const back = host.reconnect('a');
    await Promise.all([host.close(), expect(back).rejects.toMatchObject({ code: 'server_closed' })]);
    expect(isAlive(pid)).toBe(false);
    expect(getHealth(host, 'a').state).toBe('idle');
    await expect(host.connect('a')).rejects.toMatchObject({ code: 'server_closed' });
  });

  test('listeners receive the id of the changed server', async () => {
    host = await connected([scripted('a', 'plain'), scripted('b', 'plain')]);
    const changed = new Set<string>();
    host.onChange((id) => changed.add(id));
    await host.disconnect('b');
    expect([...changed]).toEqual(['b']);
  });

  test('an unknown server is reported', async () => {
    host = newHost([]);
    await expect(host.connect('none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(host.remove('none')).resolves.toBeUndefined();
  });
});

describe('whenSettled', () => {
  const never = new AbortController().signal;

  test('resolves when each server is ready or has failed', async () => {
    host = newHost([scripted('good', 'plain'), scripted('bad', 'exit-at-start'), scripted('idle', 'plain')]);
    void host.connectAll();
    await host.whenSettled(['good', 'bad'], never, 600_000);
    expect(getHealth(host, 'good').state).toBe('ready');
    expect(getHealth(host, 'bad').state).toBe('failed');
  });

  test('ignores idle and unknown servers', async () => {
    host = newHost([scripted('idle', 'plain')]);
    await host.whenSettled(['idle', 'none'], never, 600_000);
    expect(getHealth(host, 'idle').state).toBe('idle');
  });

  test('waits only for the given servers', async () => {
    host = newHost([scripted('slow', 'hang-in-initialize'), scripted('good', 'plain')]);
    void host.connectAll();
    await host.whenSettled(['good'], never, 600_000);
    expect(getHealth(host, 'slow').state).toBe('connecting');
  });

  test('resolves after its timeout or when aborted', async () => {
    // Only the timeout is controlled by the test: processes need real time to exit.
    const bounds = new Set<() => void>();
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms !== 600_000) return systemClock.after(ms, callback);
        bounds.add(callback);
        return () => bounds.delete(callback);
      },
    };
    host = newHost([scripted('slow', 'hang-in-initialize')], { clock });
    void host.connectAll();
    const waiting = host.whenSettled(['slow'], never, 600_000);
    for (const bound of bounds) bound();
    await waiting;
    const stop = new AbortController();
    const stopped = host.whenSettled(['slow'], stop.signal, 600_000);
    stop.abort();
    await stopped;
    expect(getHealth(host, 'slow').state).toBe('connecting');
    expect(bounds.size).toBe(0);
  });
});
