import { expect, it } from 'vitest';
import { createTestApi, type TestCall } from '../api/test-fixtures/test-api.ts';
import { testServer } from '../servers/test-fixtures/test-servers.ts';
import { ServersState } from './servers.svelte.ts';

const server = (id: string, enabled: boolean) => testServer(id, [], { enabled, state: enabled ? 'ready' : 'disabled' });

/** A server that responds when the test lets it, in the order of the test. */
function world() {
  const calls: { call: string; answer: () => void }[] = [];
  const answerTo = ({ method, path }: TestCall): unknown => {
    if (method === 'GET') return { items: path === '/api/permissions' ? [] : [server('a', true)] };
    return method === 'DELETE' ? undefined : server('a', method !== 'PATCH');
  };
  const api = createTestApi(
    (call) =>
      new Promise((resolve) => {
        const body = call.method === 'PATCH' ? ` ${JSON.stringify(call.body)}` : '';
        calls.push({ call: `${call.method} ${call.path}${body}`, answer: () => resolve(answerTo(call)) });
      }),
  );
  const state = new ServersState({
    api,
    live: { status: 'open', onHello: () => () => undefined, onChanged: () => () => undefined },
  });
  const answer = async (method: string) => {
    for (const call of calls.filter((one) => one.call.startsWith(method))) call.answer();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { state, calls, answer };
}

it('shows a switched server at once, and ignores an older list in progress', async () => {
  const { state, calls, answer } = world();
  void state.load();
  await answer('GET');
  expect(state.list[0]?.state).toBe('ready');
  void state.load();
  void state.setEnabled('a', false);
  await answer('PATCH');
  expect(state.list[0]?.state).toBe('disabled');
  await answer('GET');
  expect(state.list[0]?.state).toBe('disabled');
  expect(state.loading).toBe(false);
  expect(calls.map(({ call }) => call)).toContain('PATCH /api/mcp/servers/a {"enabled":false}');
});

it('names the tool and its conversation when a permission is deleted, whatever characters they contain', async () => {
  const { state, calls } = world();
  void state.forget({ tool: { serverId: 'a b', name: 'x/y&z' }, conversationId: 'c1' });
  void state.forget({ tool: { serverId: 'a', name: 'x' }, conversationId: null });
  expect(calls.map(({ call }) => call)).toEqual([
    'DELETE /api/permissions?server=a+b&tool=x%2Fy%26z&conversation=c1',
    'DELETE /api/permissions?server=a&tool=x',
  ]);
});
