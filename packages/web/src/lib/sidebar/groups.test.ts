import type { ConversationSummary } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { groupByTime } from './groups.ts';

const now = new Date(2026, 10, 21, 0, 30);
const at = (daysAgo: number, hour: number) => new Date(2026, 10, 21 - daysAgo, hour).getTime();

function item(id: string, updatedAt: number, pinned = false): ConversationSummary {
  return { id, title: id, agentId: null, pinned, createdAt: 0, updatedAt, activeRun: null };
}

describe('groups of the list', () => {
  it('follow calendar days, not elapsed hours', () => {
    const items = [
      item('just now', at(0, 0)),
      item('an hour ago, but yesterday', at(1, 23)),
      item('yesterday morning', at(1, 0)),
      item('two days ago', at(2, 23)),
      item('a week ago', at(7, 0)),
      item('eight days ago', at(8, 23)),
    ];
    const groups = groupByTime(items, now).map(({ name, items: inside }) => [name, inside.map(({ id }) => id)]);
    expect(groups).toEqual([
      ['today', ['just now']],
      ['yesterday', ['an hour ago, but yesterday', 'yesterday morning']],
      ['week', ['two days ago', 'a week ago']],
      ['older', ['eight days ago']],
    ]);
  });

  it('list pinned conversations first, however old, and omit empty groups', () => {
    const groups = groupByTime([item('old', 0, true), item('new', at(0, 0))], now);
    expect(groups.map(({ name }) => name)).toEqual(['pinned', 'today']);
  });
});
