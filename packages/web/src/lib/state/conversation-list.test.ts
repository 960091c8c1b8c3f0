import type { ConversationSummary, RunEvent } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { changeByRun, withFirstPage, withItem } from './conversation-list.ts';

function item(id: string, updatedAt: number, more: Partial<ConversationSummary> = {}): ConversationSummary {
  return { id, title: id, agentId: null, pinned: false, createdAt: 0, updatedAt, activeRun: null, ...more };
}
const ids = (items: readonly ConversationSummary[]) => items.map(({ id }) => id);

describe('the list of conversations', () => {
  it('fetched anew keeps what was scrolled to and drops what is gone', { tags: ['M1.05'] }, () => {
    const known = [item('a', 9), item('gone', 8), item('b', 7), item('c', 6), item('far', 3), item('farther', 2)];
    const page = { items: [item('new', 10), item('a', 9), item('b', 7)], next: 'more' };
    expect(ids(withFirstPage(known, page))).toEqual(['new', 'a', 'b', 'c', 'far', 'farther']);
  });

  it('that is all on its first page is that page', () => {
    expect(ids(withFirstPage([item('a', 2), item('old', 1)], { items: [item('a', 2)] }))).toEqual(['a']);
    expect(withFirstPage([item('a', 2)], { items: [] })).toEqual([]);
  });

  it('keeps a conversation that moved up to the first page only once', () => {
    const known = [item('a', 9), item('b', 8), item('far', 1)];
    const page = { items: [item('far', 10), item('a', 9)], next: 'more' };
    expect(ids(withFirstPage(known, page))).toEqual(['far', 'a', 'b']);
  });

  it('is put in order after a change: pinned first, then the newest', () => {
    const items = [item('a', 3), item('b', 2), item('c', 1)];
    expect(ids(withItem(items, 'c', { pinned: true }))).toEqual(['c', 'a', 'b']);
    expect(ids(withItem(items, 'b', { updatedAt: 5 }))).toEqual(['b', 'a', 'c']);
    expect(ids(withItem(items, 'b', null))).toEqual(['a', 'c']);
  });
});

describe('the mark of a run under way', () => {
  const event = (body: object) => ({ v: 1, seq: 1, runId: 'r', step: 0, attempt: 1, at: 42, ...body }) as RunEvent;

  it('comes with it, says when it waits for the person, and goes with it', () => {
    expect(changeByRun(event({ type: 'run_started' }))).toEqual({
      activeRun: { id: 'r', status: 'running' },
      updatedAt: 42,
    });
    expect(changeByRun(event({ type: 'run_parked' }))).toEqual({ activeRun: { id: 'r', status: 'parked' } });
    expect(changeByRun(event({ type: 'run_finished', status: 'done' }))).toEqual({ activeRun: null });
    expect(changeByRun(event({ type: 'text_delta' }))).toBeNull();
  });
});
