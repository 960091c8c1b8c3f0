import type { ConversationSummary } from '@toolyard/protocol';

export type GroupName = 'pinned' | 'today' | 'yesterday' | 'week' | 'older';
export type Group = { name: GroupName; items: ConversationSummary[] };

/** Groups the list under headings, newest first, by calendar days of the user's time zone. Empty groups are omitted. */
export function groupByTime(items: readonly ConversationSummary[], now: Date): Group[] {
  const today = startOfDay(now, 0);
  const yesterday = startOfDay(now, 1);
  const week = startOfDay(now, 7);
  const groups: Record<GroupName, ConversationSummary[]> = {
    pinned: [],
    today: [],
    yesterday: [],
    week: [],
    older: [],
  };
  for (const item of items) {
    if (item.pinned) groups.pinned.push(item);
    else if (item.updatedAt >= today) groups.today.push(item);
    else if (item.updatedAt >= yesterday) groups.yesterday.push(item);
    else if (item.updatedAt >= week) groups.week.push(item);
    else groups.older.push(item);
  }
  const names: GroupName[] = ['pinned', 'today', 'yesterday', 'week', 'older'];
  return names.filter((name) => groups[name].length > 0).map((name) => ({ name, items: groups[name] }));
}

/** Counted by the calendar, because not every day has 24 hours. */
function startOfDay(now: Date, daysAgo: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
}
