import { describe, expect, it, vi } from 'vitest';
import { ServerFollows } from './server-follows.ts';
import { expandTemplate, templateVariables } from './template-variables.ts';

describe('templates', () => {
  it('have the variables of all their expressions, once', () => {
    expect(templateVariables('db://{schema}/{+table}{?limit,offset*}{&limit}{name:3}')).toEqual([
      'schema',
      'table',
      'limit',
      'offset',
      'name',
    ]);
    expect(templateVariables('demo://plain')).toEqual([]);
  });

  it('are expanded with encoded values, without those that are empty', () => {
    expect(expandTemplate('db://{schema}/{table}{?limit}', { schema: 'a b/c', table: '時計', limit: '' })).toBe(
      'db://a%20b%2Fc/%E6%99%82%E8%A8%88',
    );
    expect(expandTemplate('file:///{+path}', { path: 'a/b c' })).toBe('file:///a/b%20c');
  });
});

describe('subscriptions over HTTP', () => {
  function setup() {
    let version = 'e.1';
    let changed: (change: { what: 'resources'; id?: string }) => void = () => undefined;
    const post = vi.fn(async (_path: string, { body }: { body: { uris: string[] } }) => ({
      renewAfterMs: 60_000,
      items: body.uris.map((uri) =>
        uri.startsWith('no:')
          ? { uri, version: null, error: { code: 'server_refused', message: 'Not this one' } }
          : { uri, version },
      ),
    }));
    const waits: (() => void)[] = [];
    const follows = new ServerFollows({
      api: { post } as never,
      live: { onChanged: (listener: never) => ((changed = listener), () => true), onHello: () => () => true },
      wait: (act) => waits.push(act),
    });
    const announce = (next: string): void => {
      version = next;
      changed({ what: 'resources', id: 's' });
    };
    return { follows, post, waits, announce };
  }

  it('call back when the version of a resource changes, and only then', async () => {
    const { follows, announce } = setup();
    const listener = vi.fn();
    await follows.follow('s', 'a:b', listener);
    announce('e.1');
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(0));
    announce('e.2');
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1));
  });

  it('are reported as rejected, without ending others', async () => {
    const { follows, post, announce } = setup();
    const listener = vi.fn();
    await follows.follow('s', 'a:b', listener);
    await expect(follows.follow('s', 'no:b', vi.fn())).rejects.toThrow('Not this one');
    announce('e.2');
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1));
    expect(post.mock.lastCall?.[1].body.uris).toEqual(['a:b']);
  });

  it('are renewed while there is a listener, and notice a missed update', async () => {
    const { follows, post, waits, announce } = setup();
    const listener = vi.fn();
    const end = await follows.follow('s', 'a:b', listener);
    announce('e.1');
    expect(waits).toHaveLength(1);
    waits[0]?.();
    await vi.waitFor(() => expect(post).toHaveBeenCalledTimes(3));
    end();
    post.mockClear();
    waits.at(-1)?.();
    expect(post).not.toHaveBeenCalled();
  });
});
