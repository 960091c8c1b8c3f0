import type { ConversationSummary, RunEvent } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { withFirstPage } from '../state/loaded-pages.svelte.ts';
import { changeByRun, inOrder, withItem } from './conversation-list.ts';

function item(id: string, updatedAt: number, more: Partial<ConversationSummary> = {}): ConversationSummary {
  return { id, title: id, agentId: null, pinned: false, createdAt: 0, updatedAt, activeRun: null, ...more };
}
const ids = (items: readonly ConversationSummary[]) => items.map(({ id }) => id);

describe('list of conversations', () => {
  it('keeps the loaded pages when refreshed and removes deleted conversations', () => {
    const known = [item('a', 9), item('gone', 8), item('b', 7), item('c', 6), item('far', 3), item('farther', 2)];
    const page = { items: [item('new', 10), item('a', 9), item('b', 7)], next: 'more' };
    expect(ids(withFirstPage(known, page, inOrder))).toEqual(['new', 'a', 'b', 'c', 'far', 'farther']);
  });

  it('is replaced when everything fits on the first page', () => {
    expect(ids(withFirstPage([item('a', 2), item('old', 1)], { items: [item('a', 2)] }, inOrder))).toEqual(['a']);
    expect(withFirstPage([item('a', 2)], { items: [] }, inOrder)).toEqual([]);
  });

  it('lists a conversation that moved up to the first page once', () => {
    const known = [item('a', 9), item('b', 8), item('far', 1)];
    const page = { items: [item('far', 10), item('a', 9)], next: 'more' };
    expect(ids(withFirstPage(known, page, inOrder))).toEqual(['far', 'a', 'b']);
  });

  it('is sorted after a change: pinned first, then newest', () => {
    const items = [item('a', 3), item('b', 2), item('c', 1)];
    expect(ids(withItem(items, 'c', { pinned: true }))).toEqual(['c', 'a', 'b']);
    expect(ids(withItem(items, 'b', { updatedAt: 5 }))).toEqual(['b', 'a', 'c']);
    expect(ids(withItem(items, 'b', null))).toEqual(['a', 'c']);
  });
});

describe('indicator of a run in progress', () => {
  const event = (body: object) => ({ v: 1, seq: 1, runId: 'r', step: 0, attempt: 1, at: 42, ...body }) as RunEvent;

  it('appears with the run, shows when it waits for the user, and disappears with it', () => {
    expect(changeByRun(event({ type: 'run_started' }))).toEqual({
      activeRun: { id: 'r', status: 'running' },
      updatedAt: 42,
    });
    expect(changeByRun(event({ type: 'run_parked' }))).toEqual({ activeRun: { id: 'r', status: 'parked' } });
    expect(changeByRun(event({ type: 'run_finished', status: 'done' }))).toEqual({ activeRun: null });
    expect(changeByRun(event({ type: 'text_delta' }))).toBeNull();
  });
});
