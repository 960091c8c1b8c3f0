import { expect, it } from 'vitest';
import type { ConversationSummary } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import { createTestApi, type TestCall } from '../api/test-fixtures/test-api.ts';
import { Conversations } from './conversations.svelte.ts';

type Change = { type: 'changed'; what: 'conversations'; id: string };

function item(id: string, updatedAt: number): ConversationSummary {
  return { id, title: id, agentId: null, pinned: false, createdAt: 0, updatedAt, activeRun: null };
}

/** The store with a server that responds as `answer` says; `changed` is an event of the live stream. */
function listOver(answer: (call: TestCall) => unknown) {
  const calls: string[] = [];
  const listeners: ((change: Change) => void)[] = [];
  const api = createTestApi((call) => {
    calls.push(`${call.method} ${call.path}`);
    return answer(call);
  });
  const list = new Conversations({
    api,
    live: {
      status: 'connecting',
      onHello: () => () => undefined,
      onChanged: (listener) => (listeners.push(listener), () => undefined),
      onRun: () => () => undefined,
    },
  });
  const changed = (id: string) => listeners.forEach((listen) => listen({ type: 'changed', what: 'conversations', id }));
  return { list, calls, changed };
}

const titles = ({ items }: Conversations) => items.map(({ title }) => title);

it('loads further pages and keeps them when the first page is loaded again', async () => {
  const { list, calls } = listOver(({ path }) =>
    path.includes('after=') ? { items: [item('old', 1)] } : { items: [item('new', 9)], next: 'c/1' },
  );
  await list.load();
  expect(list.hasMore).toBe(true);
  await list.loadMore();
  await list.load();
  expect(titles(list)).toEqual(['new', 'old']);
  expect(list.hasMore).toBe(false);
  expect(calls[1]).toBe('GET /api/conversations?limit=50&after=c%2F1');
});

it('loads a changed conversation beyond the first page on its own', async () => {
  const { list, changed } = listOver(({ path }) => {
    if (path.includes('after=')) return { items: [item('old', 1)] };
    return path.endsWith('/old') ? { ...item('old', 1), title: 'renamed' } : { items: [item('new', 9)], next: 'c' };
  });
  list.start();
  await list.load();
  await list.loadMore();
  changed('old');
  await list.load();
  await expect.poll(() => titles(list)).toEqual(['new', 'renamed']);
});

it('shows a change at once, and the previous list if it fails', async () => {
  const { list } = listOver(({ method }) => {
    if (method === 'GET') return { items: [item('b', 2), item('a', 1)] };
    throw new ApiError({ code: 'network', status: 0, detail: 'No.' });
  });
  await list.load();
  const pinning = list.update('a', { pinned: true });
  expect(titles(list)).toEqual(['a', 'b']);
  await expect(pinning).rejects.toMatchObject({ code: 'network' });
  expect(titles(list)).toEqual(['b', 'a']);
  const removing = list.remove('b');
  expect(titles(list)).toEqual(['a']);
  await expect(removing).rejects.toMatchObject({ code: 'network' });
  expect(titles(list)).toEqual(['b', 'a']);
});
